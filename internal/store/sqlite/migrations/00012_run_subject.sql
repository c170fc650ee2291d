-- What a run is about, in a line. Runs from before have none.
ALTER TABLE runs ADD COLUMN subject TEXT NOT NULL DEFAULT '';
