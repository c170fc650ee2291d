import type { Approval } from "../api/types";

// Undo. The server knows no "undo": a decision that was sent has consequences
// at once. So each is held for five seconds before it is sent, and the place
// where it was made says so. It is sent earlier when the page is hidden or
// left, or what shows the approval is: where nobody can see "Undo", there is
// none. It is not sent when the approval changed in the meantime: the answer
// was for what was on the screen.
// Nothing is held where the risk is critical (that asks for a typed word),
// where the deadline is near, for batches (those ask before), and for people
// who switched it off.

/** How long a decision can be taken back. */
export const graceMs = 5000;

/** How long a decision about this is held, in milliseconds. */
export function graceFor(approval: Pick<Approval, "risk" | "deadline_at">, now: number): number {
  if (!undoOn() || approval.risk.level === "critical") return 0;
  const left = approval.deadline_at ? Date.parse(approval.deadline_at) - now : Number.POSITIVE_INFINITY;
  return left < graceMs * 2 ? 0 : graceMs;
}

/** The seconds until a held decision is sent. The page's clock may be a second late, but never says more than five. */
export const secondsLeft = (until: number, now: number) =>
  Math.min(graceMs / 1000, Math.max(0, Math.ceil((until - now) / 1000)));

/** Whether decisions are held. Kept by this browser; on unless "off". */
const key = "assent.inbox.undo";

export function undoOn(): boolean {
  try {
    return localStorage.getItem(key) !== "off";
  } catch {
    return true; // storage is forbidden here
  }
}

export function setUndo(on: boolean): void {
  try {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, "off");
  } catch {
    // Then it holds for this page only.
  }
}
