// Words of notifications: their pages are opened later.

/** What a notification is about, for people. */
export const notified: Record<string, { label: string; sentence: string }> = {
  "approval.needed": { label: "An approval needs you", sentence: "Something waits for your decision." },
  "approval.reminder": { label: "Reminder", sentence: "It still waits, and the deadline comes closer." },
  "approval.escalated": { label: "Escalated to you", sentence: "Others have not decided in time." },
  "approval.timed_out": { label: "Timed out", sentence: "There was no decision before the deadline." },
  "approval.resolved": { label: "Decided", sentence: "An approval that you were asked about is settled." },
  "approval.auto_approved": { label: "Approved by a rule", sentence: "The policy approved an action without asking." },
  "run.completed": { label: "Run completed", sentence: "A run of yours has ended." },
  "run.failed": { label: "Run failed", sentence: "A run of yours stopped with an error." },
  "deliverable.created": { label: "New deliverable", sentence: "A run of yours produced a result." },
  "limit.warning": { label: "Close to a limit", sentence: "A run of yours has used most of a limit." },
};

export const notifiedLabel = (event: string): string => notified[event]?.label ?? event;
