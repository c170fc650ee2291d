-- The time of each schedule that was handled last.
CREATE TABLE firings (
  schedule text COLLATE "C" PRIMARY KEY,
  at       bigint NOT NULL,
  outcome  text COLLATE "C" NOT NULL,
  run      text COLLATE "C" NOT NULL,  -- '' if none was started
  cause    text NOT NULL               -- why none was
);
