-- Results that went on with a confidence at which a second look is suggested. It
-- says where they are; what they hold is in the events.
CREATE TABLE second_looks (
  id         text COLLATE "C" PRIMARY KEY,
  run        text COLLATE "C" NOT NULL,
  workflow   text COLLATE "C" NOT NULL,
  step       text COLLATE "C" NOT NULL,
  agent      text COLLATE "C" NOT NULL,
  idx        bigint NOT NULL,  -- of the element of a map; -1: none
  confidence double precision NOT NULL,
  at         bigint NOT NULL
);
CREATE INDEX second_looks_by_run      ON second_looks (run, idx);
CREATE INDEX second_looks_by_time     ON second_looks (at, id);
CREATE INDEX second_looks_by_workflow ON second_looks (workflow, at, id);
