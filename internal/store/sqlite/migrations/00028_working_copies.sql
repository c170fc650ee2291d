-- Workflows that people are editing.
CREATE TABLE working_copies (
  name     TEXT PRIMARY KEY,   -- of the workflow
  revision INTEGER NOT NULL,
  by       TEXT NOT NULL,      -- who changed it last
  at       INTEGER NOT NULL,
  body     BLOB NOT NULL       -- text, layout and samples
) STRICT, WITHOUT ROWID;
