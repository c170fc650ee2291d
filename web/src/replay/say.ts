import type { Act, ApprovalStatus, Event, RunStatus, SkipReason, TimeoutAct } from "../api/types";
import { plain } from "../json";
import {
  act,
  actorKind,
  approvalStatus,
  deliverableStatus,
  eventWord,
  format,
  onTimeout,
  runStatus,
  skipReason,
  type Word,
} from "../words";

/** The parts of event data used in texts. Everything may be missing: newer servers may send other data. */
interface Data {
  workflow?: string;
  owner?: string;
  from?: string | { name?: string };
  to?: string;
  at_seq?: number;
  reason?: string;
  why?: string;
  limit?: string;
  message?: string;
  gate?: string;
  layer?: number;
  steps?: (string | { id?: string })[];
  step?: string;
  index?: number;
  try?: number;
  count?: number;
  error?: { message?: string };
  goes_on?: boolean;
  guidance?: string;
  redo?: string[];
  waiting?: boolean;
  status?: string;
  was?: string;
  name?: string;
  confidence?: number;
  deliverable?: { name?: string };
  spot?: { step?: string };
  request?: { title?: string; rule?: { name?: string } };
  decision?: { by?: string; act?: Act; comment?: string; to?: string };
  outcome?: { status?: ApprovalStatus; by?: string; comment?: string };
  text?: string;
  then?: TimeoutAct;
  agent?: string;
  turn?: number | object;
  no?: number;
  call?: { tool?: string; name?: string };
  requirement?: string;
  found?: number;
  denied?: boolean;
  dry_run?: boolean;
  run?: string;
}

const parsed = new WeakMap<Event, Data>();

export function dataOf(event: Event): Data {
  let data = parsed.get(event);
  if (!data) {
    const value = plain<Data>(event.data);
    data = typeof value === "object" && value !== null ? value : {};
    parsed.set(event, data);
  }
  return data;
}

const isName = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The steps that an event concerns. */
export function stepsOf(event: Event): string[] {
  const { step, spot, steps } = dataOf(event);
  if (isName(step)) return [step];
  if (isName(spot?.step)) return [spot.step];
  return (Array.isArray(steps) ? steps : []).map((s) => (typeof s === "string" ? s : s?.id)).filter(isName);
}

/** Who did it, in words. */
export function whoOf(event: Event): string {
  const { kind } = event.actor;
  const name = event.actor.name ?? "";
  const word = (actorKind[kind] as Word | undefined)?.label ?? "Someone";
  if (kind === "system" || name === "") return word;
  if (kind === "person") return name;
  return kind === "policy" ? `Rule “${name}”` : `${word} ${format.title(name)}`;
}

const quote = (text: string | undefined) => (text ? `: “${text}”` : "");
/** The first line names the problem; the event's details show the rest. */
const because = (text: string | undefined) => {
  const [first = "", ...more] = (text ?? "").trim().split("\n");
  return first ? `: ${first.trimEnd()}${more.length > 0 ? " …" : ""}` : "";
};

/** The event in a sentence. Without details if it has none that we know. */
export function say(event: Event): string {
  const d = dataOf(event);
  const step = [d.step, d.spot?.step].find(isName);
  const where = step ? format.title(step) + (d.index === undefined ? "" : ` (no. ${format.count(d.index + 1)})`) : "";
  try {
    const words = sentences[event.type]?.(d, where || "A step");
    if (words) return words;
  } catch {
    // Data of an unknown shape: fall back to the event's name.
  }
  const { label } = eventWord(event.type);
  return where ? `${label}: ${where}` : label;
}

const sentences: Record<string, (d: Data, where: string) => string | undefined> = {
  "run.started": (d) => `The run of ${format.title(d.workflow ?? "")} started${d.owner ? ` for ${d.owner}` : ""}`,
  "run.forked": (d) => `From here on it is a fork, made after event ${d.at_seq ?? "?"} of another run`,
  "run.waiting": () => "Waiting for a decision",
  "run.resumed": () => "The run continues",
  "run.paused": (d) => `The run was paused${because(d.reason)}`,
  "run.unpaused": () => "The run was resumed",
  "run.reopened": () => "The failed run was resumed",
  "run.cancelling": (d) => `The run is being cancelled${because(d.reason)}`,
  "run.cancelled": (d) => `The run was cancelled${because(d.reason)}`,
  "run.completed": () => "The run was completed",
  "run.failed": (d) => `The run failed${because(d.error?.message)}`,
  "run.limit_reached": (d, where) => `${where} reached a limit (${limitName(d.limit)}); the run ended`,
  "snapshot.saved": (d, where) => {
    if (isName(d.step)) return `A snapshot was saved after ${where}`;
    return d.layer === undefined ? "A snapshot was saved" : `A snapshot was saved after layer ${d.layer + 1}`;
  },
  "warning.raised": (d) => `A warning${because(d.message)}`,
  "state.updated": (d) => `The answer at ${format.title(d.gate ?? "a gate")} became part of the context`,
  "layer.started": (d) =>
    `The next steps may run: ${(d.steps ?? []).map((s) => format.title(String(s))).join(", ") || "none"}`,
  "step.started": (d, where) => `${where} began${(d.try ?? 1) > 1 ? `, try ${d.try}` : ""}`,
  "step.expanded": (d, where) => `${where} was spread over ${format.plural(d.count ?? 0, "element")}`,
  "step.returned": (_, where) => `${where} answered; the answer does not count yet`,
  "step.completed": (_, where) => `${where} is done`,
  "element.completed": (_, where) => `${where} is done`,
  "step.retrying": (d, where) => `${where} failed and is retried${because(d.error?.message)}`,
  "step.failed": (d, where) =>
    `${where} failed${because(d.error?.message)}${d.goes_on ? "; the run continues without it" : ""}`,
  "step.skipped": (d, where) => `${where} was skipped. ${skipReason[d.why as SkipReason]?.sentence ?? ""}`.trim(),
  "step.revised": (d, where) => `${where} was sent back for revision${quote(d.guidance)}`,
  "step.args_changed": (_, where) => `The input of ${where} was changed`,
  "step.speculated": (_, where) => `${where} runs ahead of an open approval`,
  "speculation.returned": (_, where) => `${where} ran ahead; the result is not used yet`,
  "speculation.used": (_, where) => `What ${where} did ahead is used`,
  "speculation.discarded": (_, where) => `What ${where} did ahead is discarded`,
  "child.waiting": (d, where) => `The sub-run of ${where} ${d.waiting ? "waits for people" : "continues"}`,
  "child.ended": (d) => `A sub-run ended: ${lower(runStatus[d.status as RunStatus]?.label) ?? "status unknown"}`,
  "review.suggested": (d, where) =>
    `${where} is only fairly sure${d.confidence === undefined ? "" : ` (${format.percent(d.confidence)})`}: a second look is suggested`,
  "deliverable.created": (d, where) => `${where} made “${d.deliverable?.name ?? "a deliverable"}”`,
  "deliverable.marked": (d) =>
    `“${d.name ?? "A deliverable"}” was marked as ${lower(deliverableStatus(d.status ?? "").label)}`,
  "plan.changed": (d) => `The plan was changed${because(d.why)}`,
  "approval.needed": (d) => `Approval needed${quote(d.request?.title)}`,
  "approval.auto_approved": (d) =>
    `${d.request?.rule?.name ? `Rule “${d.request.rule.name}”` : "A rule"} approved${quote(d.request?.title)}`,
  "approval.decided": (d) => {
    const did = d.decision?.act && act[d.decision.act]?.done;
    if (!did) return undefined;
    const to = d.decision?.to ? ` to ${d.decision.to.replace(/^role:/, "the role ")}` : "";
    return `${d.decision?.by || "Someone"} ${did}${to}${quote(d.decision?.comment)}`;
  },
  "approval.resolved": (d) => {
    const word = d.outcome?.status && approvalStatus[d.outcome.status];
    return word ? `The approval is closed: ${lower(word.label)}` : undefined;
  },
  "approval.commented": (d) => `Comment${quote(d.text)}`,
  "approval.escalated": (d) =>
    `The approval was escalated to ${(d.to ?? "someone else").replace(/^role:/, "the role ")}`,
  "approval.timed_out": (d) =>
    `Approval timed out${d.then && onTimeout[d.then] ? `: ${onTimeout[d.then].sentence}` : ""}`,
  "approval.paused": () => "No decision in time, so the run is paused",
  "approval.reminder": () => "A reminder was sent",
  "turn.started": (d, where) => `The model of ${d.agent ? format.title(d.agent) : where} was asked`,
  "turn.completed": (d, where) => `The model of ${d.agent ? format.title(d.agent) : where} answered`,
  "turn.retrying": (d, where) => `The model of ${where} is retried${because(d.error?.message)}`,
  "note.added": (d) => `A note for the model${quote(d.text)}`,
  "call.requested": (d, where) => `${where} wants to use ${toolOf(d)}`,
  "call.started": (d, where) => `${where} uses a tool${(d.try ?? 1) > 1 ? `, try ${d.try}` : ""}`,
  "call.completed": (d, where) =>
    d.denied
      ? `${where} was denied the tool`
      : d.dry_run
        ? `The tool of ${where} was only rehearsed`
        : `A tool answered ${where}`,
  "call.retrying": (d, where) => `A tool of ${where} failed and is retried${because(d.error?.message)}`,
  "call.args_changed": (_, where) => `The arguments of a tool call of ${where} were changed`,
  "call.input_needed": (_, where) => `A tool of ${where} needs input from a person`,
  "agent.handed_off": (d) =>
    `${format.title(String(d.from ?? "An agent"))} handed the work to ${format.title(d.to ?? "another")}`,
  "agent.message": (d) =>
    `${format.title(String(d.from ?? "An agent"))} wrote to ${format.title(d.to ?? "another")}${quote(d.text)}`,
  "message.added": (d) =>
    `${typeof d.from === "object" ? (d.from?.name ?? "Someone") : "Someone"} said${quote(d.text)}`,
  "limit.warning": (d, where) => `${where} comes close to a limit (${limitName(d.limit)})`,
  "limit.granted": (d, where) => `${where} was granted more (${limitName(d.limit)})`,
  "limit.raised": (d, where) => `A limit of ${where} was raised (${limitName(d.limit)})`,
  "consult.answered": () => "The planner answered",
  "replan.requested": (d) => `A new plan was requested${quote(d.requirement)}`,
  "replan.answered": (d) =>
    d.found ? `${format.plural(d.found, "new step")} proposed` : `No new plan was found${because(d.reason)}`,
};

function toolOf(d: Data): string {
  const name = d.call?.tool ?? d.call?.name;
  return name ? format.title(name) : "a tool";
}

const limits: Record<string, string> = { duration: "time", cost_usd: "cost", iterations: "turns of the model" };

function limitName(limit = ""): string {
  return limits[limit] ?? (format.title(limit).toLowerCase() || "not told");
}

function lower(label: string | undefined): string | undefined {
  return label && label.charAt(0).toLowerCase() + label.slice(1);
}
