-- Who at an identity provider a name belongs to.
CREATE TABLE subjects (
  name     text COLLATE "C" PRIMARY KEY,
  issuer   text COLLATE "C" NOT NULL,
  subject  text COLLATE "C" NOT NULL,
  bound_at bigint NOT NULL,
  UNIQUE (issuer, subject)
);
