-- Who may come in. Passwords, tokens and cookies are not here, only what they
-- are checked against. Roles are a JSON list.
CREATE TABLE accounts (
  name         TEXT PRIMARY KEY,
  hash         TEXT NOT NULL,
  roles        TEXT NOT NULL,
  disabled     INTEGER NOT NULL,
  epoch        INTEGER NOT NULL,  -- sessions of an earlier one do not count
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  signed_in_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  roles      TEXT NOT NULL,
  hash       TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id         TEXT PRIMARY KEY,  -- digest of the secret in the cookie
  person     TEXT NOT NULL,
  way        TEXT NOT NULL,
  roles      TEXT NOT NULL,
  epoch      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_person ON sessions (person);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX sessions_by_use ON sessions (seen_at);
