-- Who at an identity provider a name belongs to.
CREATE TABLE subjects (
  name     TEXT PRIMARY KEY,
  issuer   TEXT NOT NULL,
  subject  TEXT NOT NULL,
  bound_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT, WITHOUT ROWID;
