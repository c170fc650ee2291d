-- The messages that should exist, and what became of them.
CREATE TABLE deliveries (
  id         TEXT PRIMARY KEY,
  channel    TEXT NOT NULL,
  event      TEXT NOT NULL,
  run        TEXT NOT NULL,
  workflow   TEXT NOT NULL,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  approval   TEXT NOT NULL,     -- '' if it is about the run
  person     TEXT NOT NULL,     -- '' if it goes to an address
  recipient  TEXT NOT NULL,     -- digest
  edits      INTEGER NOT NULL,  -- 1: the channel can replace it
  urgent     INTEGER NOT NULL,
  summary    INTEGER NOT NULL,  -- 1: it stands for others
  part_of    TEXT NOT NULL,     -- the summary that stands for it
  fallback   TEXT NOT NULL,     -- the message that could not be delivered
  status     TEXT NOT NULL,
  wanted     INTEGER NOT NULL,  -- feed numbers
  shown      INTEGER NOT NULL,
  attempts   INTEGER NOT NULL,
  failures   INTEGER NOT NULL,
  unknown    INTEGER NOT NULL,
  due_at     INTEGER NOT NULL,  -- 0: there is nothing to do
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  sent_at    INTEGER NOT NULL,
  body       BLOB NOT NULL      -- address, reference, why it failed
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (channel, due_at) WHERE due_at > 0;
CREATE INDEX deliveries_of_approval ON deliveries (approval, channel, recipient) WHERE approval <> '';
CREATE INDEX deliveries_of_recipient ON deliveries (channel, recipient, sent_at);
CREATE INDEX deliveries_by_age ON deliveries (created_at, id);
CREATE INDEX deliveries_to_forget ON deliveries (updated_at) WHERE due_at = 0;
CREATE INDEX deliveries_in ON deliveries (part_of) WHERE part_of <> '';

-- How far the feed was expanded into messages.
CREATE TABLE outbox (
  id   INTEGER PRIMARY KEY,
  feed INTEGER NOT NULL
) STRICT;

-- How people want to be told.
CREATE TABLE preferences (
  person TEXT PRIMARY KEY,
  body   BLOB NOT NULL,
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Channels that no longer take messages.
CREATE TABLE disabled_channels (
  name   TEXT PRIMARY KEY,
  digest TEXT NOT NULL,  -- of the document
  why    TEXT NOT NULL,
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
