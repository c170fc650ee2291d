import type { Approval, Deliverable, Event, Message, Run } from "../api/types";
import { plain } from "../json";
import { eventWord, format, type Tone } from "../words";
import { tell } from "./tell";

/** One entry in the thread of a run. */
export type Entry =
  | { kind: "message"; key: string; at: string; message: Message }
  | { kind: "approval"; key: string; at: string; approval: Approval }
  | {
      kind: "deliverable";
      key: string;
      at: string;
      id: string;
      name: string;
      type: string;
      by: string;
      deliverable?: Deliverable;
    }
  | { kind: "line"; key: string; at: string; text: string; tone: Tone };

/** Events with a line of their own in the thread; all others are in the event log. */
const lines = new Set([
  "run.started",
  "run.forked",
  "run.paused",
  "run.unpaused",
  "run.reopened",
  "run.cancelling",
  "run.cancelled",
  "run.completed",
  "run.failed",
  "run.limit_reached",
  "agent.handed_off",
  "note.added",
  "plan.changed",
  "replan.requested",
  "replan.answered",
  "limit.warning",
  "limit.granted",
  "limit.raised",
  "step.revised",
  "step.failed",
  "deliverable.marked",
  "warning.raised",
]);

/** The thread: messages, decisions and deliverables in chronological order. */
export function entriesOf(
  run: Pick<Run, "thread">,
  events: Event[],
  approvals: Approval[],
  deliverables: Deliverable[],
): Entry[] {
  const out: Entry[] = run.thread.map((message, i) => ({
    kind: "message",
    key: `m${message.at}${i}`,
    at: message.at,
    message,
  }));
  const known = new Map(deliverables.map((d) => [d.id, d]));
  // The run contains the newest messages; older ones are in the events.
  const oldest = run.thread[0]?.at;
  for (const event of events) {
    const said = spoken(event);
    if (said) {
      if (oldest !== undefined && event.at < oldest)
        out.push({ kind: "message", key: `e${event.seq}`, at: event.at, message: said });
      continue;
    }
    if (event.type === "deliverable.created") out.push(handedIn(event, known));
    else if (lines.has(event.type))
      out.push({
        kind: "line",
        key: `e${event.seq}`,
        at: event.at,
        text: tell(event),
        tone: eventWord(event.type).tone,
      });
  }
  for (const approval of approvals)
    out.push({ kind: "approval", key: approval.id, at: approval.requested_at, approval });
  return out
    .map((entry, i) => ({ entry, i }))
    .sort(byTime)
    .map(({ entry }) => entry);
}

function byTime(a: { entry: Entry; i: number }, b: { entry: Entry; i: number }): number {
  return Date.parse(a.entry.at) - Date.parse(b.entry.at) || a.i - b.i;
}

function spoken(event: Event): Message | undefined {
  if (event.type === "message.added") return plain<Message>(event.data) ?? undefined;
  if (event.type === "agent.message") {
    const data = plain<{ from: string; to: string; text: string }>(event.data);
    return data ? { at: event.at, from: { kind: "agent", name: data.from }, to: data.to, text: data.text } : undefined;
  }
  if (event.type !== "turn.completed") return undefined;
  const data = plain<{ turn?: { text?: string }; agent?: string }>(event.data);
  if (!data?.turn?.text) return undefined;
  return { at: event.at, from: { kind: "agent", name: data.agent }, text: data.turn.text };
}

function handedIn(event: Event, known: Map<string, Deliverable>): Entry {
  const data = plain<{ agent?: string; step?: string; deliverable?: { id?: string; name?: string; type?: string } }>(
    event.data,
  );
  const id = data?.deliverable?.id ?? "";
  return {
    kind: "deliverable",
    key: `e${event.seq}`,
    at: event.at,
    id,
    name: data?.deliverable?.name ?? "",
    type: data?.deliverable?.type ?? "",
    by: format.title(data?.agent || data?.step || ""),
    deliverable: known.get(id),
  };
}
