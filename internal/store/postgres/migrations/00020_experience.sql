-- What runs that have ended taught about tools. A row follows from the log of its
-- run and is written with its last event.
CREATE TABLE experience (
  run      text COLLATE "C" PRIMARY KEY,
  workflow text COLLATE "C" NOT NULL,
  at       bigint NOT NULL,  -- when the run ended
  body     bytea NOT NULL
);
CREATE INDEX experience_by_time     ON experience (at, run);
CREATE INDEX experience_by_workflow ON experience (workflow, at, run);

-- What is to be forgotten, up to a time, whatever the log holds. Without a name it
-- is everything.
CREATE TABLE unlearned (
  what text COLLATE "C" NOT NULL,  -- run, workflow, tool or all
  name text COLLATE "C" NOT NULL,
  at   bigint NOT NULL,
  PRIMARY KEY (what, name)
);

-- Grows with every change of the two.
CREATE TABLE learned (
  one     integer PRIMARY KEY CHECK (one = 1),
  version bigint NOT NULL
);
INSERT INTO learned (one, version) VALUES (1, 0);
