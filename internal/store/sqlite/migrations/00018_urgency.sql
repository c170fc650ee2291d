-- The inbox is sorted by when an answer is wanted, in seconds of Unix time: the
-- deadline, or when it was requested, plus the slack of its risk, minus the head
-- start of what its timeout does. What is encrypted cannot be read here and is
-- taken for something that is carried out by itself; its next write mends that.
UPDATE approvals SET priority = -(
  CASE WHEN deadline_at = 0 THEN requested_at ELSE deadline_at END / 1000000000
  + 86400 * CASE risk WHEN 'critical' THEN 0 WHEN 'high' THEN 1 WHEN 'low' THEN 7 ELSE 3 END
  - 86400 * CASE
      WHEN deadline_at = 0 THEN 0
      WHEN NOT json_valid(CAST(body AS TEXT)) THEN 14
      WHEN json_extract(CAST(body AS TEXT), '$.terms.then') IN ('approve', 'default') THEN 14
      WHEN json_extract(CAST(body AS TEXT), '$.terms.then') IN ('reject', 'cancel') THEN 7
      ELSE 2
    END)
WHERE status = 'pending';
UPDATE inbox SET rank = -(SELECT priority FROM approvals WHERE id = inbox.approval) WHERE status = 'pending';
