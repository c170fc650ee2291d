-- What figures are made of: settled approvals in the order they were settled,
-- and every failure of a step, whatever became of its run.
CREATE INDEX approvals_settled ON approvals (settled_at, status, requested_at, agent, workflow) WHERE settled_at > 0;

CREATE TABLE failures (
  run      text COLLATE "C" NOT NULL,
  seq      bigint NOT NULL,
  workflow text COLLATE "C" NOT NULL,
  step     text NOT NULL,
  agent    text COLLATE "C" NOT NULL,
  code     text COLLATE "C" NOT NULL,
  at       bigint NOT NULL,
  PRIMARY KEY (run, seq)
);
CREATE INDEX failures_by_time ON failures (at, agent, code, workflow);
