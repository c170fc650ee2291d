-- What the digests of a run's events in the audit log are salted with. It goes
-- with the run's payloads: without it the digests confirm no guess.
CREATE TABLE event_salts (
  run  text COLLATE "C" PRIMARY KEY REFERENCES runs (id),
  salt text NOT NULL
);
