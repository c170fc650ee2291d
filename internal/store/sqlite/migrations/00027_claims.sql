-- The epoch of the leader that is sending a message; 0: none is. The next leader takes claims of earlier epochs over.
ALTER TABLE deliveries ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX deliveries_claimed ON deliveries (channel) WHERE claimed > 0;
