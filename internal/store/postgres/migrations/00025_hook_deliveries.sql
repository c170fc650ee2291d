-- The last deliveries to each trigger.
CREATE TABLE hook_deliveries (
  id      text COLLATE "C" PRIMARY KEY,
  hook    text COLLATE "C" NOT NULL,  -- the trigger
  at      bigint NOT NULL,            -- of the first arrival
  last_at bigint NOT NULL,
  times   bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  run     text COLLATE "C" NOT NULL,  -- '' if none was started
  body    bytea NOT NULL              -- empty if it was deleted
);
CREATE INDEX hook_deliveries_by_hook ON hook_deliveries (hook, at);
CREATE INDEX hook_deliveries_by_run  ON hook_deliveries (run);
