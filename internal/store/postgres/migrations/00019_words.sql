-- The words that runs and approvals are found by, each behind a space: letters and
-- digits without case and accents. Words of encrypted values are not among them.
-- Rows from before are filled when this step is taken.
ALTER TABLE runs ADD COLUMN words text NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN words text NOT NULL DEFAULT '';

CREATE INDEX runs_by_words ON runs USING gin (array_to_tsvector(string_to_array(ltrim(words), ' ')));
CREATE INDEX approvals_by_words ON approvals USING gin (array_to_tsvector(string_to_array(ltrim(words), ' ')));
