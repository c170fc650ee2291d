-- New rows are indexed once per commit, and not one by one: a trigger makes
-- SQLite write out the index after each row. Rows up to last are indexed.
CREATE TABLE indexed (
  rows TEXT PRIMARY KEY, -- runs or approvals
  last INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO indexed (rows, last) SELECT 'runs', coalesce(max(no), 0) FROM runs;
INSERT INTO indexed (rows, last) SELECT 'approvals', coalesce(max(no), 0) FROM approvals;

DROP TRIGGER runs_words_added;
DROP TRIGGER runs_words_changed;
DROP TRIGGER approvals_words_added;
DROP TRIGGER approvals_words_changed;

-- What is not in the index cannot be taken out of it. Taking out is slow, as each
-- word's rows are read from the first on; a decision only adds the name of whoever
-- decided behind the other words, so the index only gets those that are new.
CREATE TRIGGER runs_words_appended AFTER UPDATE OF words ON runs
WHEN substr(new.words, 1, length(old.words) + 1) = old.words || ' '
  AND old.no <= (SELECT last FROM indexed WHERE rows = 'runs') BEGIN
  INSERT INTO runs_by_words (rowid, words) VALUES (new.no, substr(new.words, length(old.words) + 1));
END;
CREATE TRIGGER runs_words_changed AFTER UPDATE OF words ON runs
WHEN old.words <> new.words AND substr(new.words, 1, length(old.words) + 1) <> old.words || ' '
  AND old.no <= (SELECT last FROM indexed WHERE rows = 'runs') BEGIN
  INSERT INTO runs_by_words (runs_by_words, rowid, words) VALUES ('delete', old.no, old.words);
  INSERT INTO runs_by_words (rowid, words) VALUES (new.no, new.words);
END;
CREATE TRIGGER approvals_words_appended AFTER UPDATE OF words ON approvals
WHEN substr(new.words, 1, length(old.words) + 1) = old.words || ' '
  AND old.no <= (SELECT last FROM indexed WHERE rows = 'approvals') BEGIN
  INSERT INTO approvals_by_words (rowid, words) VALUES (new.no, substr(new.words, length(old.words) + 1));
END;
CREATE TRIGGER approvals_words_changed AFTER UPDATE OF words ON approvals
WHEN old.words <> new.words AND substr(new.words, 1, length(old.words) + 1) <> old.words || ' '
  AND old.no <= (SELECT last FROM indexed WHERE rows = 'approvals') BEGIN
  INSERT INTO approvals_by_words (approvals_by_words, rowid, words) VALUES ('delete', old.no, old.words);
  INSERT INTO approvals_by_words (rowid, words) VALUES (new.no, new.words);
END;
