-- Whether a run ends as soon as the steps at work have: lists say so.
ALTER TABLE runs ADD COLUMN cancelling INTEGER NOT NULL DEFAULT 0;
