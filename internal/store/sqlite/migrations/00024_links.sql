-- Which users of other programs are people here.
CREATE TABLE links (
  id         TEXT PRIMARY KEY,   -- PROGRAM/WORKSPACE/USER
  person     TEXT NOT NULL,      -- '' while it is only offered
  label      TEXT NOT NULL,      -- the name of the user there
  offer      TEXT NOT NULL,      -- digest of the secret that takes the offer; '' once it was taken
  expires_at INTEGER NOT NULL,   -- of the offer
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_person ON links (person) WHERE person <> '';
CREATE INDEX links_by_offer ON links (offer) WHERE offer <> '';
