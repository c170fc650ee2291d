-- What agents did and spent: a row for each event in which an agent ended a step or spent something. Test runs have
-- none. Money is in whole dollars and billionths, so that sums fit.
CREATE TABLE agent_work (
  run        text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL,
  workflow   text COLLATE "C" NOT NULL,
  agent      text COLLATE "C" NOT NULL,
  at         bigint NOT NULL,
  steps      bigint NOT NULL,
  failed     bigint NOT NULL,
  llm_calls  bigint NOT NULL,
  tokens_in  bigint NOT NULL,
  tokens_out bigint NOT NULL,
  cost_usd   bigint NOT NULL,
  cost_nanos bigint NOT NULL,
  PRIMARY KEY (run, seq)
);
CREATE INDEX agent_work_by_time ON agent_work (at, agent, workflow);

-- When counting began, if there were runs before.
CREATE TABLE agent_work_from (at bigint NOT NULL);
INSERT INTO agent_work_from SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000000 AS bigint)
  WHERE EXISTS (SELECT 1 FROM runs);
