-- The time of each schedule that was handled last.
CREATE TABLE firings (
  schedule TEXT PRIMARY KEY,
  at       INTEGER NOT NULL,
  outcome  TEXT NOT NULL,
  run      TEXT NOT NULL,  -- '' if none was started
  cause    TEXT NOT NULL   -- why none was
) STRICT, WITHOUT ROWID;
