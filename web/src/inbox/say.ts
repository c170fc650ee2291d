import type { Act, Approval, TimeoutAct } from "../api/types";
import type { Doing } from "../lib/decisions";
import { act as acts, approvalStatus, format } from "../words";

// Texts about approvals in the list.

/** "Mailer in Refund email"; the step if there is no agent. */
export function who(a: Approval): string {
  const whom = a.agent || a.step;
  return whom ? `${format.title(whom)} in ${format.title(a.workflow)}` : format.title(a.workflow);
}

/** Approved earlier, and the action to run has changed since. */
export const changed = (a: Approval) => (a.changed?.length ?? 0) > 0;

/** The approvers: "for Finance", "for bob and ann"; "" if anyone can decide. */
export function forWhom(a: Approval): string {
  const people = [
    ...a.assignees,
    ...(a.escalated_to ?? []).map((to) => (to.startsWith("role:") ? format.title(to.slice(5)) : to)),
  ];
  const roles = a.role ? [format.title(a.role)] : Object.keys(a.quorum.by_role ?? {}).map(format.title);
  const asked = [...new Set([...people, ...roles])];
  if (asked.length === 0) return "";
  return `for ${asked.length > 1 ? `${asked.slice(0, -1).join(", ")} and ${asked.at(-1)}` : asked[0]}`;
}

/** "1 of 2"; "" if one approval is enough. */
export function quorum(a: Approval): string {
  return a.quorum.needed > 1 ? `${a.quorum.given} of ${a.quorum.needed}` : "";
}

/** When something happens automatically, and what: the deadline, else the pause after a long wait. */
export function fate(a: Approval): { at: number; act?: TimeoutAct } | undefined {
  if (a.deadline_at) return { at: Date.parse(a.deadline_at), act: a.on_timeout };
  if (a.pause_at) return { at: Date.parse(a.pause_at), act: "pause" };
  return undefined;
}

/** Short enough for a row; the full sentence is in the tooltip. */
const fates: Record<TimeoutAct, string> = {
  approve: "Approves",
  reject: "Rejects",
  cancel: "Cancels",
  default: "Takes default",
  pause: "Pauses",
  escalate: "Escalates",
};

/** "Cancels in 12 min"; seconds only near the end. */
export function fateText(then: TimeoutAct | undefined, leftS: number): string {
  const what = then ? fates[then] : "Due";
  if (leftS <= 0) return `${what} now`;
  return `${what} in ${format.duration((leftS < 600 ? leftS : leftS - (leftS % 60)) * 1000)}`;
}

const endings: Partial<Record<Act, (by: string, first: string) => string>> = {
  approve: (by, first) => `${by} approved this${first}`,
  modify: (by, first) => `${by} changed and approved this${first}`,
  reject: (by, first) => `${by} rejected this${first}`,
  choose: (by, first) => `${by}${first && " was first and"} chose an option`,
  submit: (by, first) => `${by}${first && " was first and"} submitted the data`,
  request_revision: (by, first) => `${by}${first && " was first and"} asked for a revision`,
};

/** "Maria approved this first" */
export function lateText({ by, act }: { by: string; act: string }): string {
  if (by === "") return "This was settled before your answer came";
  return endings[act as Act]?.(by, " first") ?? `${by} settled this first`;
}

/** The outcome of a settled row: "Maria approved this", "No decision before the deadline." */
export function settledText({ outcome, status }: Approval, me: string | undefined): string {
  const by = outcome?.by === me ? "You" : outcome?.by;
  const ending = status === "timed_out" || status === "cancelled" ? undefined : endings[(outcome?.act ?? "") as Act];
  return by && ending ? ending(by, "") : approvalStatus[status].sentence;
}

const doings: Partial<Record<Act, string>> = { approve: "Approving", reject: "Rejecting" };
export const doingWord = (act: Act) => doings[act] ?? acts[act].label;

/** The text of a row while its decision is being sent; left is in seconds. */
export function doingText(doing: Doing, left = 0): string {
  switch (doing.phase) {
    case "held":
      return `${doingWord(doing.decision.act)} in ${left} s`;
    case "sending":
      return `${doingWord(doing.decision.act)} …`;
    case "done":
      return doing.after.status === "pending"
        ? `You ${acts[doing.decision.act].done}${quorum(doing.after) && `: ${quorum(doing.after)}`}`
        : `You ${acts[doing.decision.act].done} this`;
    case "late":
      return lateText(doing);
    case "changed":
      return "Changed since you looked. Nothing was sent; look again";
    case "failed":
      return `Not ${acts[doing.decision.act].done}: ${doing.error.message}`;
  }
}
