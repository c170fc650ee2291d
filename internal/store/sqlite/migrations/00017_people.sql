-- A person's name is theirs for good; what an identity provider calls them is a
-- label. Accounts have no issuer, and keep their names when they are gone.
ALTER TABLE subjects ADD COLUMN label TEXT NOT NULL DEFAULT '';
ALTER TABLE subjects ADD COLUMN released INTEGER NOT NULL DEFAULT 0;
UPDATE subjects SET label = name;
INSERT INTO subjects (name, issuer, subject, bound_at, label, released)
SELECT name, '', name, created_at, name, 0 FROM accounts WHERE true ON CONFLICT DO NOTHING;

-- Programs own their runs under a key that no person has. Where the audit log is
-- encrypted nothing can be read here, and nothing is changed.
CREATE TEMP TABLE owned AS
WITH RECURSIVE started (run, kind, name) AS (
  SELECT run, json_extract(CAST(body AS TEXT), '$.actor.kind'), actor FROM audit
  WHERE action IN ('run.started', 'run.forked') AND json_valid(CAST(body AS TEXT)) AND actor <> ''
), tree (run, kind, name) AS (
  SELECT runs.id, kind, name FROM started JOIN runs ON runs.id = started.run AND runs.owner = name WHERE kind IN ('service', 'agent')
  UNION
  SELECT runs.id, kind, name FROM tree JOIN runs ON runs.parent = tree.run AND runs.owner = name
)
SELECT run, kind || ':' || name AS key FROM tree;
UPDATE runs SET owner = (SELECT key FROM owned WHERE owned.run = runs.id) WHERE id IN (SELECT run FROM owned);
DROP TABLE owned;
