-- Orders to remove what people and agents sent to a run. files are bodies that
-- nothing refers to any more and that are still to be removed: a JSON list.
CREATE TABLE removals (
  run    TEXT PRIMARY KEY REFERENCES runs (id),
  kind   TEXT NOT NULL,     -- of whoever wants it
  actor  TEXT NOT NULL,
  reason TEXT NOT NULL,
  at     INTEGER NOT NULL,
  files  TEXT NOT NULL,
  done   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX removals_open ON removals (at) WHERE done = 0;

-- Who began with a copy of what another run holds.
CREATE INDEX runs_by_origin ON runs (forked_from) WHERE forked_from <> '';
CREATE INDEX runs_by_retried ON runs (retry_of) WHERE retry_of <> '';
