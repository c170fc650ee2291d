-- Times are nanoseconds since 1970, 0 for none. Words are never NULL.

-- What the store knows about itself.
CREATE TABLE meta (
  one   INTEGER PRIMARY KEY CHECK (one = 1),
  epoch INTEGER NOT NULL,      -- of whoever led last
  generation INTEGER NOT NULL  -- of the definitions in force
) STRICT;
INSERT INTO meta VALUES (1, 0, 1);

-- The log: one row per write. The feed number of the row's last event is its
-- key, so the feed is read in the order of the table. Large bodies are files.
-- It refers to nothing: the read tables follow from it, not the other way.
CREATE TABLE batches (
  last_feed INTEGER PRIMARY KEY,
  run       TEXT NOT NULL,
  last_seq  INTEGER NOT NULL,
  count     INTEGER NOT NULL CHECK (count > 0),
  body      BLOB,
  file      TEXT,
  CHECK ((body IS NULL) <> (file IS NULL))
) STRICT;
CREATE UNIQUE INDEX batches_by_run ON batches (run, last_seq);

CREATE TABLE runs (
  no           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  workflow     TEXT NOT NULL,
  version      INTEGER NOT NULL,
  definition   TEXT NOT NULL,
  status       TEXT NOT NULL,
  owner        TEXT NOT NULL,
  labels       TEXT NOT NULL,  -- JSON, for showing; run_labels is for searching
  seq          INTEGER NOT NULL,
  steps_done   INTEGER NOT NULL,
  steps_total  INTEGER NOT NULL,
  pending      INTEGER NOT NULL,
  error        TEXT NOT NULL,
  cost_usd     TEXT NOT NULL,
  parent       TEXT NOT NULL,
  retry_of     TEXT NOT NULL,
  forked_from  TEXT NOT NULL,
  started_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  ended_at     INTEGER NOT NULL,
  due_at       INTEGER NOT NULL,
  busy         INTEGER NOT NULL,
  snapshot_seq INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_start    ON runs (started_at, id);
CREATE INDEX runs_by_workflow ON runs (workflow, started_at, id);
CREATE INDEX runs_by_status   ON runs (status, started_at, id);
CREATE INDEX runs_by_owner    ON runs (owner, started_at, id) WHERE owner <> '';
CREATE INDEX runs_by_parent   ON runs (parent, started_at, id) WHERE parent <> '';
CREATE INDEX runs_due         ON runs (due_at) WHERE due_at > 0;
CREATE INDEX runs_busy        ON runs (id) WHERE busy = 1;

CREATE TABLE run_labels (
  name       TEXT NOT NULL,
  value      TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  run        TEXT NOT NULL REFERENCES runs (id),
  PRIMARY KEY (name, value, started_at, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshots (
  no    INTEGER PRIMARY KEY,
  run   TEXT NOT NULL REFERENCES runs (id),
  seq   INTEGER NOT NULL,
  state BLOB,
  file  TEXT,
  CHECK ((state IS NULL) <> (file IS NULL))
) STRICT;
CREATE UNIQUE INDEX snapshots_by_run ON snapshots (run, seq);

CREATE TABLE answers (
  no     INTEGER PRIMARY KEY,
  key    TEXT NOT NULL UNIQUE,
  body   TEXT NOT NULL,
  status INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  answer BLOB NOT NULL
) STRICT;
CREATE INDEX answers_by_age ON answers (at);

CREATE TABLE approvals (
  no           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  run          TEXT NOT NULL REFERENCES runs (id),
  workflow     TEXT NOT NULL,
  step         TEXT NOT NULL,
  agent        TEXT NOT NULL,
  tool         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  reason       TEXT NOT NULL,
  status       TEXT NOT NULL,
  risk         TEXT NOT NULL,
  title        TEXT NOT NULL,
  asked        TEXT NOT NULL,  -- JSON
  requester    TEXT NOT NULL,
  priority     INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  requested_at INTEGER NOT NULL,
  deadline_at  INTEGER NOT NULL,
  settled_at   INTEGER NOT NULL,
  body         BLOB NOT NULL
) STRICT;
CREATE INDEX approvals_by_run ON approvals (run);

-- One row per approval and reader; wire.Filed says who reads.
CREATE TABLE inbox (
  who          TEXT NOT NULL,
  status       TEXT NOT NULL,
  rank         INTEGER NOT NULL,  -- smaller is more urgent
  requested_at INTEGER NOT NULL,
  deadline     INTEGER NOT NULL,  -- none sorts last
  approval     TEXT NOT NULL REFERENCES approvals (id),
  workflow     TEXT NOT NULL,     -- these five are copies: filters look here
  agent        TEXT NOT NULL,
  tool         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  risk         TEXT NOT NULL,
  PRIMARY KEY (who, status, rank, requested_at, approval)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbox_by_age      ON inbox (who, status, requested_at, approval);
CREATE INDEX inbox_by_deadline ON inbox (who, status, deadline, approval);

-- Whose share of the inbox has what in common. What has all of it in common is
-- filed under the facet, too.
CREATE TABLE shares (
  who      TEXT NOT NULL,
  facet    TEXT NOT NULL,
  workflow TEXT NOT NULL,
  agent    TEXT NOT NULL,
  tool     TEXT NOT NULL,
  kind     TEXT NOT NULL,
  risk     TEXT NOT NULL,
  PRIMARY KEY (who, facet)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliverables (
  id          TEXT PRIMARY KEY,
  run         TEXT NOT NULL REFERENCES runs (id),
  workflow    TEXT NOT NULL,
  step        TEXT NOT NULL,
  agent       TEXT NOT NULL,
  name        TEXT NOT NULL,
  type        TEXT NOT NULL,
  status      TEXT NOT NULL,
  mime        TEXT NOT NULL,
  description TEXT NOT NULL,
  blob        TEXT NOT NULL,
  url         TEXT NOT NULL,
  size        INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX deliverables_by_time  ON deliverables (created_at, id);
CREATE INDEX deliverables_by_run   ON deliverables (run, created_at, id);
CREATE INDEX deliverables_by_agent ON deliverables (agent, created_at, id);

CREATE TABLE versions (
  no           INTEGER PRIMARY KEY,
  kind         TEXT NOT NULL,
  name         TEXT NOT NULL,
  number       INTEGER NOT NULL,
  id           TEXT NOT NULL UNIQUE,
  published    INTEGER NOT NULL,
  published_by TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  digest       TEXT NOT NULL,
  by           TEXT NOT NULL,
  at           INTEGER NOT NULL,
  body         BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX versions_by_number ON versions (kind, name, number);
CREATE UNIQUE INDEX versions_in_force  ON versions (kind, name) WHERE published = 1;

-- How often rules that may approve only so many times have done so.
CREATE TABLE grants (
  rule TEXT PRIMARY KEY,
  uses INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE bundles (
  no     INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  bundle BLOB NOT NULL
) STRICT;

-- Bytes by their content; the large ones are files named by their id.
CREATE TABLE blobs (
  no   INTEGER PRIMARY KEY,
  id   TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  data BLOB  -- NULL: in a file
) STRICT;
