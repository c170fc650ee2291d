-- The roles that an identity provider reported last, and when: people are told by them while they are not signed in.
-- They decide nothing.
ALTER TABLE subjects ADD COLUMN roles text NOT NULL DEFAULT '';
ALTER TABLE subjects ADD COLUMN roles_at bigint NOT NULL DEFAULT 0;
