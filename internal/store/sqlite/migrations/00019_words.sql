-- The words that runs and approvals are found by, each behind a space: letters and
-- digits without case and accents. Words of encrypted values are not among them.
-- Rows from before are filled when this step is taken.
ALTER TABLE runs ADD COLUMN words TEXT NOT NULL DEFAULT '';
ALTER TABLE approvals ADD COLUMN words TEXT NOT NULL DEFAULT '';

-- The tokenizer leaves words as they are. What is removed from an index is
-- overwritten at once, and not when its parts are merged one day.
CREATE VIRTUAL TABLE runs_by_words USING fts5(words, content='runs', content_rowid='no', tokenize='ascii', detail='none', columnsize=0);
CREATE VIRTUAL TABLE approvals_by_words USING fts5(words, content='approvals', content_rowid='no', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO runs_by_words (runs_by_words, rank) VALUES ('secure-delete', 1);
INSERT INTO approvals_by_words (approvals_by_words, rank) VALUES ('secure-delete', 1);
INSERT INTO runs_by_words (runs_by_words) VALUES ('rebuild'); -- so that every row is there to be changed
INSERT INTO approvals_by_words (approvals_by_words) VALUES ('rebuild');

CREATE TRIGGER runs_words_added AFTER INSERT ON runs BEGIN
  INSERT INTO runs_by_words (rowid, words) VALUES (new.no, new.words);
END;
CREATE TRIGGER runs_words_changed AFTER UPDATE OF words ON runs WHEN old.words <> new.words BEGIN
  INSERT INTO runs_by_words (runs_by_words, rowid, words) VALUES ('delete', old.no, old.words);
  INSERT INTO runs_by_words (rowid, words) VALUES (new.no, new.words);
END;
CREATE TRIGGER runs_words_removed AFTER DELETE ON runs BEGIN
  INSERT INTO runs_by_words (runs_by_words, rowid, words) VALUES ('delete', old.no, old.words);
END;

CREATE TRIGGER approvals_words_added AFTER INSERT ON approvals BEGIN
  INSERT INTO approvals_by_words (rowid, words) VALUES (new.no, new.words);
END;
CREATE TRIGGER approvals_words_changed AFTER UPDATE OF words ON approvals WHEN old.words <> new.words BEGIN
  INSERT INTO approvals_by_words (approvals_by_words, rowid, words) VALUES ('delete', old.no, old.words);
  INSERT INTO approvals_by_words (rowid, words) VALUES (new.no, new.words);
END;
CREATE TRIGGER approvals_words_removed AFTER DELETE ON approvals BEGIN
  INSERT INTO approvals_by_words (approvals_by_words, rowid, words) VALUES ('delete', old.no, old.words);
END;
