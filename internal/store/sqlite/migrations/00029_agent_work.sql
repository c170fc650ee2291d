-- What agents did and spent: a row for each event in which an agent ended a step or spent something. Test runs have
-- none. Money is in whole dollars and billionths, so that sums fit.
CREATE TABLE agent_work (
  run        TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  workflow   TEXT NOT NULL,
  agent      TEXT NOT NULL,
  at         INTEGER NOT NULL,
  steps      INTEGER NOT NULL,
  failed     INTEGER NOT NULL,
  llm_calls  INTEGER NOT NULL,
  tokens_in  INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_usd   INTEGER NOT NULL,
  cost_nanos INTEGER NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX agent_work_by_time ON agent_work (at, agent, workflow);

-- When counting began, if there were runs before.
CREATE TABLE agent_work_from (at INTEGER NOT NULL) STRICT;
INSERT INTO agent_work_from SELECT CAST(unixepoch('now', 'subsec') * 1000000000 AS INTEGER)
  WHERE EXISTS (SELECT 1 FROM runs);
