-- One tree instead of a table and an index: every result of an agent adds a row, and queries read a span of time.
CREATE TABLE work_by_time (
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
  PRIMARY KEY (at, run, seq)
) STRICT, WITHOUT ROWID;
INSERT INTO work_by_time SELECT run, seq, workflow, agent, at, steps, failed, llm_calls, tokens_in, tokens_out,
  cost_usd, cost_nanos FROM agent_work ORDER BY at, run, seq;
DROP TABLE agent_work;
ALTER TABLE work_by_time RENAME TO agent_work;
