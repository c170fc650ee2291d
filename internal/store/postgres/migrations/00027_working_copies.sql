-- Workflows that people are editing.
CREATE TABLE working_copies (
  name     text COLLATE "C" PRIMARY KEY,  -- of the workflow
  revision bigint NOT NULL,
  by       text COLLATE "C" NOT NULL,     -- who changed it last
  at       bigint NOT NULL,
  body     bytea NOT NULL                 -- text, layout and samples
);
