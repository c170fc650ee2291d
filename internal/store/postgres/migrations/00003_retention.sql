-- Which version of a deliverable is the newest of its name in its run, and since
-- when it stands as it does.
ALTER TABLE deliverables ADD COLUMN newest boolean NOT NULL DEFAULT true;
ALTER TABLE deliverables ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;
UPDATE deliverables SET updated_at = created_at, newest = NOT EXISTS
  (SELECT 1 FROM deliverables later WHERE later.run = deliverables.run AND later.name = deliverables.name AND later.version > deliverables.version);
CREATE INDEX deliverables_archived ON deliverables (updated_at) WHERE newest AND status = 'archived';

-- When somebody last asked for a blob to be stored. Those from before are kept
-- for ever: nobody noted who refers to them.
ALTER TABLE blobs ADD COLUMN stored_at bigint NOT NULL DEFAULT 9223372036854775807;
CREATE INDEX blobs_by_age ON blobs (stored_at);

-- Which runs refer to which blobs, in their events.
CREATE TABLE blob_refs (
  blob text COLLATE "C" NOT NULL,
  run  text COLLATE "C" NOT NULL REFERENCES runs (id),
  PRIMARY KEY (blob, run)
);
CREATE INDEX blob_refs_by_run ON blob_refs (run);
INSERT INTO blob_refs (blob, run) SELECT DISTINCT blob, run FROM deliverables WHERE blob <> '';
