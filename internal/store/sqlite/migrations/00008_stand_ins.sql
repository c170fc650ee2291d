-- Who decides for whom while they are away. A person has one stand-in at a time.
CREATE TABLE stand_ins (
  name     TEXT PRIMARY KEY,  -- who is away
  stand_in TEXT NOT NULL,
  since    INTEGER NOT NULL,
  until    INTEGER NOT NULL,  -- not part of it
  set_by   TEXT NOT NULL,
  set_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stand_ins_by_stand_in ON stand_ins (stand_in, until);
