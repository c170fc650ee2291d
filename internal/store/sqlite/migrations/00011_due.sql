-- When an approval is due; once it is settled, when that was: history is read
-- in that order, by the index that deadlines have.
ALTER TABLE inbox RENAME COLUMN deadline TO due;
UPDATE inbox SET due = a.settled_at FROM approvals a WHERE a.id = inbox.approval AND a.settled_at > 0;
