-- The browsers that get push messages.
CREATE TABLE pushes (
  id         text COLLATE "C" PRIMARY KEY,  -- digest of the endpoint
  person     text COLLATE "C" NOT NULL,
  session    text COLLATE "C" NOT NULL,     -- '' if there is none
  body       bytea NOT NULL,                -- endpoint and keys
  created_at bigint NOT NULL,
  renewed_at bigint NOT NULL
);
CREATE INDEX pushes_by_person ON pushes (person, renewed_at);
CREATE INDEX pushes_by_session ON pushes (session) WHERE session <> '';

-- The key that signs requests to push services.
CREATE TABLE push_keys (
  id   text COLLATE "C" PRIMARY KEY,
  body bytea NOT NULL
);
