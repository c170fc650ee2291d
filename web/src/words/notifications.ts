// Words of notifications: their pages are opened later.

/** What a notification is about, for people. */
export const notified: Record<string, { label: string; sentence: string }> = {
  "approval.needed": { label: "An approval needs you", sentence: "An approval is waiting for your decision." },
  "approval.reminder": { label: "Reminder", sentence: "An approval is still waiting for your decision." },
  "approval.escalated": { label: "Escalated to you", sentence: "Others have not decided in time." },
  "approval.timed_out": { label: "Timed out", sentence: "An approval was not decided in time. Its run may be paused." },
  "approval.resolved": { label: "Decided", sentence: "An approval in a run of yours was decided." },
  "approval.auto_approved": { label: "Approved by a rule", sentence: "The policy approved an action without asking." },
  "run.completed": { label: "Run completed", sentence: "A run of yours was completed." },
  "run.failed": { label: "Run failed", sentence: "A run of yours stopped with an error, or at a limit." },
  "run.paused": { label: "Run paused", sentence: "A run of yours was paused, and waits to be resumed." },
  "deliverable.created": { label: "New deliverable", sentence: "A run of yours produced a result." },
  "limit.warning": { label: "Close to a limit", sentence: "A run of yours has used most of a limit." },
};

export const notifiedLabel = (event: string): string => notified[event]?.label ?? event;
