-- A person's name is theirs for good; what an identity provider calls them is a
-- label. Accounts have no issuer, and keep their names when they are gone.
ALTER TABLE subjects ADD COLUMN label text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE subjects ADD COLUMN released bigint NOT NULL DEFAULT 0;
UPDATE subjects SET label = name;
INSERT INTO subjects (name, issuer, subject, bound_at, label, released)
SELECT name, '', name, created_at, name, 0 FROM accounts WHERE true ON CONFLICT DO NOTHING;

-- Programs own their runs under a key that no person has. Where the audit log is
-- encrypted nothing can be read here, and nothing is changed.
WITH RECURSIVE started (run, kind, name) AS (
  SELECT run, CASE WHEN get_byte(body, 0) = 123 THEN convert_from(body, 'UTF8')::json -> 'actor' ->> 'kind' END, actor FROM audit
  WHERE action IN ('run.started', 'run.forked') AND actor <> ''
), tree (run, kind, name) AS (
  SELECT runs.id, kind, name FROM started JOIN runs ON runs.id = started.run AND runs.owner = name WHERE kind IN ('service', 'agent')
  UNION
  SELECT runs.id, kind, name FROM tree JOIN runs ON runs.parent = tree.run AND runs.owner = name
)
UPDATE runs SET owner = tree.kind || ':' || tree.name FROM tree WHERE tree.run = runs.id;
