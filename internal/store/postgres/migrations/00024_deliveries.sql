-- The messages that should exist, and what became of them.
CREATE TABLE deliveries (
  id         text COLLATE "C" PRIMARY KEY,
  channel    text COLLATE "C" NOT NULL,
  event      text COLLATE "C" NOT NULL,
  run        text COLLATE "C" NOT NULL,
  workflow   text COLLATE "C" NOT NULL,
  seq        bigint NOT NULL,
  at         bigint NOT NULL,
  approval   text COLLATE "C" NOT NULL,     -- '' if it is about the run
  person     text COLLATE "C" NOT NULL,     -- '' if it goes to an address
  recipient  text COLLATE "C" NOT NULL,     -- digest
  edits      bigint NOT NULL,  -- 1: the channel can replace it
  urgent     bigint NOT NULL,
  summary    bigint NOT NULL,  -- 1: it stands for others
  part_of    text COLLATE "C" NOT NULL,     -- the summary that stands for it
  fallback   text COLLATE "C" NOT NULL,     -- the message that could not be delivered
  status     text COLLATE "C" NOT NULL,
  wanted     bigint NOT NULL,  -- feed numbers
  shown      bigint NOT NULL,
  attempts   bigint NOT NULL,
  failures   bigint NOT NULL,
  unknown    bigint NOT NULL,
  due_at     bigint NOT NULL,  -- 0: there is nothing to do
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  sent_at    bigint NOT NULL,
  body       bytea NOT NULL      -- address, reference, why it failed
);
CREATE INDEX deliveries_due ON deliveries (channel, due_at) WHERE due_at > 0;
CREATE INDEX deliveries_of_approval ON deliveries (approval, channel, recipient) WHERE approval <> '';
CREATE INDEX deliveries_of_recipient ON deliveries (channel, recipient, sent_at);
CREATE INDEX deliveries_by_age ON deliveries (created_at, id);
CREATE INDEX deliveries_to_forget ON deliveries (updated_at) WHERE due_at = 0;
CREATE INDEX deliveries_in ON deliveries (part_of) WHERE part_of <> '';

-- How far the feed was expanded into messages.
CREATE TABLE outbox (
  id   bigint PRIMARY KEY,
  feed bigint NOT NULL
);

-- How people want to be told.
CREATE TABLE preferences (
  person text COLLATE "C" PRIMARY KEY,
  body   bytea NOT NULL,
  at     bigint NOT NULL
);

-- Channels that no longer take messages.
CREATE TABLE disabled_channels (
  name   text COLLATE "C" PRIMARY KEY,
  digest text COLLATE "C" NOT NULL,  -- of the document
  why    text COLLATE "C" NOT NULL,
  at     bigint NOT NULL
);
