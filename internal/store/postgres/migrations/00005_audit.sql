-- Who did what, in one order. body is the entry in its canonical form and hash
-- that of the entry; the columns beside them are copies for searching. open holds
-- values that may be removed: the chain knows their digests alone.
CREATE TABLE audit (
  n       bigint PRIMARY KEY,
  at      bigint NOT NULL,
  actor   text COLLATE "C" NOT NULL,
  action  text COLLATE "C" NOT NULL,
  target  text COLLATE "C" NOT NULL,
  run     text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  body    bytea NOT NULL,
  hash    text COLLATE "C" NOT NULL,
  open    bytea
);
CREATE INDEX audit_by_time   ON audit (at, n);
CREATE INDEX audit_by_run    ON audit (run, n) WHERE run <> '';
CREATE INDEX audit_by_target ON audit (target, n) WHERE target <> run;
CREATE INDEX audit_by_actor  ON audit (actor, n);
-- Starts are most of it: whoever wants those reads on from the end.
CREATE INDEX audit_by_action ON audit (action, n) WHERE action <> 'run.started';
CREATE INDEX audit_refused   ON audit (n) WHERE outcome <> 'done';

-- What the log was at an entry, signed.
CREATE TABLE audit_heads (
  n    bigint PRIMARY KEY,
  head text NOT NULL
);

-- The end of the log is in the row that every writer locks.
ALTER TABLE head ADD COLUMN audit_n bigint NOT NULL DEFAULT 0, ADD COLUMN audit_hash text NOT NULL DEFAULT '';
