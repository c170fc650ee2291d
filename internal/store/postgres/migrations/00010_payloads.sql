-- Orders to remove what people and agents sent to a run. files are bodies that
-- nothing refers to any more and that are still to be removed: a JSON list.
CREATE TABLE removals (
  run    text COLLATE "C" PRIMARY KEY REFERENCES runs (id),
  kind   text NOT NULL,     -- of whoever wants it
  actor  text NOT NULL,
  reason text NOT NULL,
  at     bigint NOT NULL,
  files  text NOT NULL,
  done   bigint NOT NULL
);
CREATE INDEX removals_open ON removals (at) WHERE done = 0;

-- Who began with a copy of what another run holds.
CREATE INDEX runs_by_origin ON runs (forked_from) WHERE forked_from <> '';
CREATE INDEX runs_by_retried ON runs (retry_of) WHERE retry_of <> '';
