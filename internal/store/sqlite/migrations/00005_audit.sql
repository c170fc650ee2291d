-- Who did what, in one order. body is the entry in its canonical form and hash
-- that of the entry; the columns beside them are copies for searching. open holds
-- values that may be removed: the chain knows their digests alone.
CREATE TABLE audit (
  n       INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  actor   TEXT NOT NULL,
  action  TEXT NOT NULL,
  target  TEXT NOT NULL,
  run     TEXT NOT NULL,
  outcome TEXT NOT NULL,
  body    BLOB NOT NULL,
  hash    TEXT NOT NULL,
  open    BLOB
) STRICT;
CREATE INDEX audit_by_time   ON audit (at);
CREATE INDEX audit_by_run    ON audit (run, n) WHERE run <> '';
CREATE INDEX audit_by_target ON audit (target, n) WHERE target <> run;
CREATE INDEX audit_by_actor  ON audit (actor, n);
-- Starts are most of it: whoever wants those reads on from the end.
CREATE INDEX audit_by_action ON audit (action, n) WHERE action <> 'run.started';
CREATE INDEX audit_refused   ON audit (n) WHERE outcome <> 'done';

-- What the log was at an entry, signed.
CREATE TABLE audit_heads (
  n    INTEGER PRIMARY KEY,
  head TEXT NOT NULL
) STRICT;
