-- Data keys, which seal values; a master key that is not here wraps them.
CREATE TABLE data_keys (
  id         INTEGER PRIMARY KEY,
  master     TEXT NOT NULL,     -- id of the key that wraps it
  wrapped    BLOB NOT NULL,
  claims     INTEGER NOT NULL,  -- how often a process has begun to use it
  created_at INTEGER NOT NULL
) STRICT;

-- How far sealing what is stored has come, while it goes on.
CREATE TABLE rewriting (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  since     INTEGER NOT NULL,  -- values sealed with older data keys are sealed anew
  place     TEXT NOT NULL,     -- JSON: the table and row that were looked at last
  looked    INTEGER NOT NULL,
  rewritten INTEGER NOT NULL,
  total     INTEGER NOT NULL
) STRICT;
