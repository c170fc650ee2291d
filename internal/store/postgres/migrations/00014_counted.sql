-- What acts that have begun add to sums of the policy. An amount is in three
-- parts of nine digits, the last behind the point. Numbers are never used twice:
-- whoever decided by a sum tells by the newest that it is still the same.
CREATE TABLE counted (
  no        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  act       text NOT NULL,     -- the key of the work
  sum       text NOT NULL,     -- digest of the field, what it is added up by, and for whom
  run       text NOT NULL,
  family    text NOT NULL,     -- the first of the runs that belong together
  operation text NOT NULL,
  at        bigint NOT NULL,
  known     bigint NOT NULL,   -- 0: the amount is not known
  giga      bigint NOT NULL,
  unit      bigint NOT NULL,
  nano      bigint NOT NULL
);
CREATE UNIQUE INDEX counted_by_act    ON counted (act, sum);
CREATE INDEX        counted_by_sum    ON counted (sum, at);
CREATE INDEX        counted_by_family ON counted (family, sum);
CREATE INDEX        counted_by_age    ON counted (at);
