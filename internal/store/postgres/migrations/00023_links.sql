-- Which users of other programs are people here.
CREATE TABLE links (
  id         text COLLATE "C" PRIMARY KEY,  -- PROGRAM/WORKSPACE/USER
  person     text COLLATE "C" NOT NULL,     -- '' while it is only offered
  label      text COLLATE "C" NOT NULL,     -- the name of the user there
  offer      text COLLATE "C" NOT NULL,     -- digest of the secret that takes the offer; '' once it was taken
  expires_at bigint NOT NULL,               -- of the offer
  created_at bigint NOT NULL
);
CREATE INDEX links_by_person ON links (person) WHERE person <> '';
CREATE INDEX links_by_offer ON links (offer) WHERE offer <> '';
