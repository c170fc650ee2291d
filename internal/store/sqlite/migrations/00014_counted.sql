-- What acts that have begun add to sums of the policy. An amount is in three
-- parts of nine digits, the last behind the point. Numbers are never used twice:
-- whoever decided by a sum tells by the newest that it is still the same.
CREATE TABLE counted (
  no        INTEGER PRIMARY KEY AUTOINCREMENT,
  act       TEXT NOT NULL,     -- the key of the work
  sum       TEXT NOT NULL,     -- digest of the field, what it is added up by, and for whom
  run       TEXT NOT NULL,
  family    TEXT NOT NULL,     -- the first of the runs that belong together
  operation TEXT NOT NULL,
  at        INTEGER NOT NULL,
  known     INTEGER NOT NULL,  -- 0: the amount is not known
  giga      INTEGER NOT NULL,
  unit      INTEGER NOT NULL,
  nano      INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX counted_by_act    ON counted (act, sum);
CREATE INDEX        counted_by_sum    ON counted (sum, at);
CREATE INDEX        counted_by_family ON counted (family, sum);
CREATE INDEX        counted_by_age    ON counted (at);
