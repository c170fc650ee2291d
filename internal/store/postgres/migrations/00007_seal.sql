-- Data keys, which seal values; a master key that is not here wraps them.
CREATE TABLE data_keys (
  id         bigint PRIMARY KEY,
  master     text COLLATE "C" NOT NULL,  -- id of the key that wraps it
  wrapped    bytea NOT NULL,
  claims     bigint NOT NULL,            -- how often a process has begun to use it
  created_at bigint NOT NULL
);

-- How far sealing what is stored has come, while it goes on.
CREATE TABLE rewriting (
  one       integer PRIMARY KEY CHECK (one = 1),
  since     bigint NOT NULL,  -- values sealed with older data keys are sealed anew
  place     text NOT NULL,    -- JSON: the table and row that were looked at last
  looked    bigint NOT NULL,
  rewritten bigint NOT NULL,
  total     bigint NOT NULL
);
