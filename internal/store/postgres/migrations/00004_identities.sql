-- Who may come in. Passwords, tokens and cookies are not here, only what they
-- are checked against. Roles are a JSON list.
CREATE TABLE accounts (
  name         text COLLATE "C" PRIMARY KEY,
  hash         text NOT NULL,
  roles        text NOT NULL,
  disabled     boolean NOT NULL,
  epoch        bigint NOT NULL,  -- sessions of an earlier one do not count
  created_at   bigint NOT NULL,
  changed_at   bigint NOT NULL,
  signed_in_at bigint NOT NULL
);

CREATE TABLE tokens (
  id         text COLLATE "C" PRIMARY KEY,
  name       text COLLATE "C" NOT NULL,
  kind       text NOT NULL,
  roles      text NOT NULL,
  hash       text NOT NULL,
  created_by text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  used_at    bigint NOT NULL
);

CREATE TABLE sessions (
  id         text COLLATE "C" PRIMARY KEY,  -- digest of the secret in the cookie
  person     text COLLATE "C" NOT NULL,
  way        text NOT NULL,
  roles      text NOT NULL,
  epoch      bigint NOT NULL,
  created_at bigint NOT NULL,
  seen_at    bigint NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person);
CREATE INDEX sessions_by_end ON sessions (expires_at);
CREATE INDEX sessions_by_use ON sessions (seen_at);
