import type { Approval } from "../api/types";

// Undo. The server has no "undo": a sent decision takes effect at once. So each is held for five seconds before it is
// sent, and the place where it was made shows that. It is sent earlier when the page or the view of the approval is
// hidden or left: where "Undo" cannot be seen, there is none. It is not sent if the approval changed in the meantime:
// the answer was for the version on the screen. Nothing is held if the risk is critical (that requires a typed word),
// if the deadline is near, for batches (those confirm first), or if the user switched it off.

/** How long a decision can be undone. */
export const graceMs = 5000;
/** How long it is held: tests on busy machines, which don't wait for it, hold it longer. */
export const grace = { ms: graceMs };

/** How long a decision on this approval is held, in milliseconds. */
export function graceFor(approval: Pick<Approval, "risk" | "deadline_at">, now: number): number {
  if (!undoOn() || approval.risk.level === "critical") return 0;
  const left = approval.deadline_at ? Date.parse(approval.deadline_at) - now : Number.POSITIVE_INFINITY;
  return left < graceMs * 2 ? 0 : grace.ms;
}

/**
 * The seconds until a held decision is sent. The page's clock may lag by a second, but the text never shows more than
 * five.
 */
export const secondsLeft = (until: number, now: number) =>
  Math.min(graceMs / 1000, Math.max(0, Math.ceil((until - now) / 1000)));

/** Whether decisions are held. Stored in this browser; on unless "off". */
const key = "assent.inbox.undo";

export function undoOn(): boolean {
  try {
    return localStorage.getItem(key) !== "off";
  } catch {
    return true; // storage is blocked
  }
}

export function setUndo(on: boolean): void {
  try {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, "off");
  } catch {
    // Then it applies to this page only.
  }
}
