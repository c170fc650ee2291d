-- What runs that have ended taught about tools. A row follows from the log of its
-- run and is written with its last event.
CREATE TABLE experience (
  run      TEXT PRIMARY KEY,
  workflow TEXT NOT NULL,
  at       INTEGER NOT NULL,  -- when the run ended
  body     BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX experience_by_time     ON experience (at, run);
CREATE INDEX experience_by_workflow ON experience (workflow, at, run);

-- What is to be forgotten, up to a time, whatever the log holds. Without a name it
-- is everything.
CREATE TABLE unlearned (
  what TEXT NOT NULL,         -- run, workflow, tool or all
  name TEXT NOT NULL,
  at   INTEGER NOT NULL,
  PRIMARY KEY (what, name)
) STRICT, WITHOUT ROWID;

-- Grows with every change of the two.
CREATE TABLE learned (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL
) STRICT;
INSERT INTO learned (one, version) VALUES (1, 0);
