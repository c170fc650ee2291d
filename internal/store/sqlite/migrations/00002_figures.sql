-- What figures are made of: settled approvals in the order they were settled,
-- and every failure of a step, whatever became of its run.
CREATE INDEX approvals_settled ON approvals (settled_at, status, requested_at, agent, workflow) WHERE settled_at > 0;

CREATE TABLE failures (
  run      TEXT NOT NULL,
  seq      INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  step     TEXT NOT NULL,
  agent    TEXT NOT NULL,
  code     TEXT NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX failures_by_time ON failures (at, agent, code, workflow);
