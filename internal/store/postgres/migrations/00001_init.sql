-- The tables of the SQLite store in this dialect. Times are nanoseconds since
-- 1970, 0 for none. Text sorts by its bytes, as it does there.

-- The row that every writer locks before it numbers events: whoever holds it
-- commits next, so numbers are given in the order of commits and have no gaps.
CREATE TABLE head (
  one   integer PRIMARY KEY CHECK (one = 1),
  feed  bigint NOT NULL,  -- number of the newest event
  epoch bigint NOT NULL,  -- of whoever leads or led last
  generation bigint NOT NULL  -- of the definitions in force
) WITH (fillfactor = 10);
INSERT INTO head VALUES (1, 0, 0, 1);

-- The log: one row per write. It refers to nothing: the read tables follow
-- from it, not the other way.
CREATE TABLE batches (
  last_feed bigint PRIMARY KEY,
  run       text COLLATE "C" NOT NULL,
  last_seq  bigint NOT NULL,
  count     bigint NOT NULL CHECK (count > 0),
  body      bytea NOT NULL
);
-- Compressing 10 MB takes longer than writing them.
ALTER TABLE batches ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX batches_by_run ON batches (run, last_seq);

CREATE TABLE runs (
  id           text COLLATE "C" PRIMARY KEY,
  workflow     text COLLATE "C" NOT NULL,
  version      bigint NOT NULL,
  definition   text COLLATE "C" NOT NULL,
  status       text COLLATE "C" NOT NULL,
  owner        text COLLATE "C" NOT NULL,
  labels       text NOT NULL,  -- JSON, for showing; run_labels is for searching
  seq          bigint NOT NULL,
  steps_done   bigint NOT NULL,
  steps_total  bigint NOT NULL,
  pending      bigint NOT NULL,
  error        text NOT NULL,
  cost_usd     text NOT NULL,
  parent       text COLLATE "C" NOT NULL,
  retry_of     text NOT NULL,
  forked_from  text NOT NULL,
  started_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  ended_at     bigint NOT NULL,
  due_at       bigint NOT NULL,
  busy         boolean NOT NULL,
  snapshot_seq bigint NOT NULL
) WITH (fillfactor = 70);  -- most writes change no index and fit into the same page
CREATE INDEX runs_by_start    ON runs (started_at, id);
CREATE INDEX runs_by_workflow ON runs (workflow, started_at, id);
CREATE INDEX runs_by_status   ON runs (status, started_at, id);
CREATE INDEX runs_by_owner    ON runs (owner, started_at, id) WHERE owner <> '';
CREATE INDEX runs_by_parent   ON runs (parent, started_at, id) WHERE parent <> '';
CREATE INDEX runs_busy        ON runs (id) WHERE busy;

-- When runs want to be woken. Nearly every write changes that, and changing an
-- indexed column of runs would write anew to all indexes of runs.
CREATE TABLE due (
  run text COLLATE "C" PRIMARY KEY,
  at  bigint NOT NULL
);
CREATE INDEX due_by_time ON due (at, run);

CREATE TABLE run_labels (
  name       text COLLATE "C" NOT NULL,
  value      text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  run        text COLLATE "C" NOT NULL REFERENCES runs (id),
  PRIMARY KEY (name, value, started_at, run)
);

CREATE TABLE snapshots (
  run   text COLLATE "C" NOT NULL REFERENCES runs (id),
  seq   bigint NOT NULL,
  state bytea NOT NULL,
  PRIMARY KEY (run, seq)
);
ALTER TABLE snapshots ALTER COLUMN state SET STORAGE EXTERNAL;

CREATE TABLE answers (
  key    text COLLATE "C" PRIMARY KEY,
  body   text NOT NULL,
  status bigint NOT NULL,
  at     bigint NOT NULL,
  answer bytea NOT NULL
);
CREATE INDEX answers_by_age ON answers (at);

CREATE TABLE approvals (
  id           text COLLATE "C" PRIMARY KEY,
  run          text COLLATE "C" NOT NULL REFERENCES runs (id),
  workflow     text COLLATE "C" NOT NULL,
  step         text NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  reason       text NOT NULL,
  status       text COLLATE "C" NOT NULL,
  risk         text COLLATE "C" NOT NULL,
  title        text NOT NULL,
  asked        text NOT NULL,  -- JSON
  requester    text NOT NULL,
  priority     bigint NOT NULL,
  version      bigint NOT NULL,
  requested_at bigint NOT NULL,
  deadline_at  bigint NOT NULL,
  settled_at   bigint NOT NULL,
  body         bytea NOT NULL
);
CREATE INDEX approvals_by_run ON approvals (run);

-- One row per approval and reader; wire.Filed says who reads.
CREATE TABLE inbox (
  who          text COLLATE "C" NOT NULL,
  status       text COLLATE "C" NOT NULL,
  rank         bigint NOT NULL,  -- smaller is more urgent
  requested_at bigint NOT NULL,
  deadline     bigint NOT NULL,  -- none sorts last
  approval     text COLLATE "C" NOT NULL REFERENCES approvals (id),
  workflow     text COLLATE "C" NOT NULL,  -- these five are copies: filters look here
  agent        text COLLATE "C" NOT NULL,
  tool         text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  risk         text COLLATE "C" NOT NULL,
  PRIMARY KEY (who, status, rank, requested_at, approval)
);
CREATE INDEX inbox_by_age      ON inbox (who, status, requested_at, approval);
CREATE INDEX inbox_by_deadline ON inbox (who, status, deadline, approval);

-- Whose share of the inbox has what in common. What has all of it in common is
-- filed under the facet, too.
CREATE TABLE shares (
  who      text COLLATE "C" NOT NULL,
  facet    text COLLATE "C" NOT NULL,
  workflow text COLLATE "C" NOT NULL,
  agent    text COLLATE "C" NOT NULL,
  tool     text COLLATE "C" NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  risk     text COLLATE "C" NOT NULL,
  PRIMARY KEY (who, facet)
);

CREATE TABLE deliverables (
  id          text COLLATE "C" PRIMARY KEY,
  run         text COLLATE "C" NOT NULL REFERENCES runs (id),
  workflow    text NOT NULL,
  step        text NOT NULL,
  agent       text COLLATE "C" NOT NULL,
  name        text NOT NULL,
  type        text COLLATE "C" NOT NULL,
  status      text COLLATE "C" NOT NULL,
  mime        text NOT NULL,
  description text NOT NULL,
  blob        text NOT NULL,
  url         text NOT NULL,
  size        bigint NOT NULL,
  version     bigint NOT NULL,
  created_at  bigint NOT NULL
);
CREATE INDEX deliverables_by_time  ON deliverables (created_at, id);
CREATE INDEX deliverables_by_run   ON deliverables (run, created_at, id);
CREATE INDEX deliverables_by_agent ON deliverables (agent, created_at, id);

CREATE TABLE versions (
  kind         text COLLATE "C" NOT NULL,
  name         text COLLATE "C" NOT NULL,
  number       bigint NOT NULL,
  id           text COLLATE "C" NOT NULL UNIQUE,
  published    boolean NOT NULL,
  published_by text NOT NULL,
  published_at bigint NOT NULL,
  digest       text NOT NULL,
  by           text NOT NULL,
  at           bigint NOT NULL,
  body         bytea NOT NULL,
  PRIMARY KEY (kind, name, number)
);
CREATE UNIQUE INDEX versions_in_force ON versions (kind, name) WHERE published;

-- How often rules that may approve only so many times have done so.
CREATE TABLE grants (
  rule text COLLATE "C" PRIMARY KEY,
  uses bigint NOT NULL
);

CREATE TABLE bundles (
  digest text COLLATE "C" PRIMARY KEY,
  bundle bytea NOT NULL
);

-- Bytes by their content. Several machines share them, so they live here; the
-- large ones in pieces, of which a reader holds one at a time.
CREATE TABLE blobs (
  id     text COLLATE "C" PRIMARY KEY,
  size   bigint NOT NULL,
  data   bytea,   -- NULL: in pieces
  pieces bigint,
  CHECK ((data IS NULL) <> (pieces IS NULL))
);
CREATE SEQUENCE blob_pieces_no;
CREATE TABLE blob_pieces (
  pieces bigint NOT NULL,
  n      bigint NOT NULL,
  data   bytea NOT NULL,
  PRIMARY KEY (pieces, n)
);
ALTER TABLE blobs ALTER COLUMN data SET STORAGE EXTERNAL;
ALTER TABLE blob_pieces ALTER COLUMN data SET STORAGE EXTERNAL;
