import type { Event } from "../api/types";
import { dataOf } from "./say";
import type { Scale } from "./scale";

export type MarkKind = "decision" | "failure" | "wait";

const kinds: Record<string, MarkKind> = {
  "approval.decided": "decision",
  "approval.auto_approved": "decision",
  "approval.timed_out": "decision",
  "step.failed": "failure",
  "step.retrying": "failure",
  "call.retrying": "failure",
  "turn.retrying": "failure",
  "run.failed": "failure",
  "run.limit_reached": "failure",
  "approval.needed": "wait",
  "run.waiting": "wait",
  "run.paused": "wait",
  "approval.paused": "wait",
  "call.input_needed": "wait",
  "child.waiting": "wait",
};

/** The kind of tick that an event gets on the scrubber, if any. */
export function markOf(event: Event): MarkKind | undefined {
  if (event.type === "child.waiting" && !dataOf(event).waiting) return undefined;
  return kinds[event.type];
}

export type Marks = Record<MarkKind, number[]>;

/** The numbers of the events with a tick, ascending. */
export function marksOf(events: Event[]): Marks {
  const out: Marks = { decision: [], failure: [], wait: [] };
  for (const event of events) {
    const kind = markOf(event);
    if (kind) out[kind].push(event.seq);
  }
  return out;
}

/** The nearest one after (1) or before (-1) a position. */
export function nextOf(seqs: number[], at: number, direction: 1 | -1): number | undefined {
  return direction === 1 ? seqs.find((seq) => seq > at) : seqs.findLast((seq) => seq < at);
}

const columns = 800;

/** A path of vertical ticks in a box 1000 wide and 10 high; ticks that would overlap are merged. */
export function tickPath(seqs: number[], scale: Scale): string {
  const places = new Set(seqs.map((seq) => Math.round(scale.place(seq) * columns)));
  return [...places].map((x) => `M${(x / columns) * 1000} 0V10`).join("");
}
