-- What a run is about, in a line. Runs from before have none.
ALTER TABLE runs ADD COLUMN subject text NOT NULL DEFAULT '';
