-- The inbox is sorted by when an answer is wanted, in seconds of Unix time: the
-- deadline, or when it was requested, plus the slack of its risk, minus the head
-- start of what its timeout does. What is encrypted cannot be read here and is
-- taken for something that is carried out by itself; its next write mends that.
CREATE FUNCTION pg_temp.timeout_of(body bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce(convert_from(body, 'UTF8')::json #>> '{terms,then}', '');
EXCEPTION WHEN others THEN
  RETURN 'approve';
END $$;
UPDATE approvals SET priority = -(
  CASE WHEN deadline_at = 0 THEN requested_at ELSE deadline_at END / 1000000000
  + 86400 * CASE risk WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'low' THEN 7 ELSE 3 END
  - 86400 * CASE
      WHEN deadline_at = 0 THEN 0
      WHEN pg_temp.timeout_of(body) IN ('approve', 'default') THEN 14
      WHEN pg_temp.timeout_of(body) IN ('reject', 'cancel') THEN 7
      ELSE 2
    END)
WHERE status = 'pending';
UPDATE inbox SET rank = -a.priority FROM approvals a WHERE a.id = inbox.approval AND inbox.status = 'pending';
DROP FUNCTION pg_temp.timeout_of(bytea);
