-- The last deliveries to each trigger.
CREATE TABLE hook_deliveries (
  id      TEXT PRIMARY KEY,
  hook    TEXT NOT NULL,      -- the trigger
  at      INTEGER NOT NULL,   -- of the first arrival
  last_at INTEGER NOT NULL,
  times   INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  run     TEXT NOT NULL,      -- '' if none was started
  body    BLOB NOT NULL       -- empty if it was deleted
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_deliveries_by_hook ON hook_deliveries (hook, at);
CREATE INDEX hook_deliveries_by_run  ON hook_deliveries (run);
