-- Whether a run is a test: lists say so, and figures leave it out. Runs from
-- before count as what they were counted as.
ALTER TABLE runs ADD COLUMN test_mode INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_in_test ON runs (id) WHERE test_mode = 1;
