-- Who decides for whom while they are away. A person has one stand-in at a time.
CREATE TABLE stand_ins (
  name     text COLLATE "C" PRIMARY KEY,  -- who is away
  stand_in text COLLATE "C" NOT NULL,
  since    bigint NOT NULL,
  until    bigint NOT NULL,  -- not part of it
  set_by   text COLLATE "C" NOT NULL,
  set_at   bigint NOT NULL
);
CREATE INDEX stand_ins_by_stand_in ON stand_ins (stand_in, until);
