-- Results that went on with a confidence at which a second look is suggested. It
-- says where they are; what they hold is in the events.
CREATE TABLE second_looks (
  id         TEXT PRIMARY KEY,
  run        TEXT NOT NULL,
  workflow   TEXT NOT NULL,
  step       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  idx        INTEGER NOT NULL,  -- of the element of a map; -1: none
  confidence REAL NOT NULL,
  at         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX second_looks_by_run      ON second_looks (run, idx);
CREATE INDEX second_looks_by_time     ON second_looks (at, id);
CREATE INDEX second_looks_by_workflow ON second_looks (workflow, at, id);
