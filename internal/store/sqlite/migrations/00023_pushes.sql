-- The browsers that get push messages.
CREATE TABLE pushes (
  id         TEXT PRIMARY KEY,   -- digest of the endpoint
  person     TEXT NOT NULL,
  session    TEXT NOT NULL,      -- '' if there is none
  body       BLOB NOT NULL,      -- endpoint and keys
  created_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pushes_by_person ON pushes (person, renewed_at);
CREATE INDEX pushes_by_session ON pushes (session) WHERE session <> '';

-- The key that signs requests to push services.
CREATE TABLE push_keys (
  id   TEXT PRIMARY KEY,
  body BLOB NOT NULL
) STRICT, WITHOUT ROWID;
