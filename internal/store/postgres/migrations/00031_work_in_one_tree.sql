-- One index instead of two: every result of an agent adds a row, no query looks for one by its key, and a run has each
-- number once.
ALTER TABLE agent_work DROP CONSTRAINT agent_work_pkey;
