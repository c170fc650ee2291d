-- The document as people wrote it, with its comments; NULL if that is not known. It is not part of the digest.
ALTER TABLE versions ADD COLUMN source BLOB;
