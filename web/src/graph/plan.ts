import type { Approval, Run, Step } from "../api/types";
import { plain, type Raw } from "../json";
import { act, format } from "../words";

/** A gate at one place in the plan of a workflow. */
export interface Gate {
  id: string;
  /**
   * layer: before all steps of the next layer; a run that asks before each layer has such a gate while one is open.
   * call: at tool calls; only the editor draws it, beside the steps.
   */
  at: "start" | "before" | "after" | "layer" | "end" | "call";
  /** The step before or after which it is placed. */
  step: string;
  title: string;
  role: string;
}

/** The gates in a workflow's definition. Gates on tool calls have no place of their own in the plan. */
export function gatesOf(definition: Raw | null | undefined): Gate[] {
  const gates = plain<{ gates?: unknown }>(definition)?.gates;
  if (!Array.isArray(gates)) return [];
  return gates.flatMap((entry: { id?: unknown; at?: unknown; title?: unknown; role?: unknown }) => {
    const [at = "", step = ""] = String(entry?.at ?? "").split(/\s+/);
    if (at !== "start" && at !== "before" && at !== "after" && at !== "end") return [];
    const id = String(entry.id ?? "");
    return [{ id, at, step, title: String(entry.title ?? format.title(id)), role: String(entry.role ?? "") }];
  });
}

/** ahead: not reached; open: pending; passed, refused: decided; unasked: passed without asking. */
export type GateState = "ahead" | "open" | "passed" | "refused" | "unasked";

export interface StepNode {
  kind: "step";
  id: string;
  step: Step;
  /** Pending approvals of the gate. */
  open: Approval[];
  /** Whether it waits for people, here or in its sub-run. */
  waits: boolean;
  /** Whether its contents are shown: the entries of a list, the steps of a sub-run, the calls of an agent. */
  opened: boolean;
}

export interface GateNode {
  kind: "gate";
  id: string;
  gate: Gate;
  state: GateState;
  approval?: Approval;
}

export type PlanNode = StepNode | GateNode;

/** flowing: its target is running; done: data passed along it; still: not yet; dead: never will. */
export type EdgeState = "flowing" | "done" | "still" | "dead";

export interface PlanEdge {
  id: string;
  from: string;
  to: string;
  state: EdgeState;
}

export interface Plan {
  nodes: PlanNode[];
  edges: PlanEdge[];
}

const answered = new Set(["approved", "modified", "chosen", "submitted", "auto_approved"]);
/** The places that are not beside a step. */
const anywhere: ReadonlySet<Gate["at"]> = new Set(["start", "end", "call"]);
const gateNodeId = (gate: Gate) => `gate ${gate.id}`;
const noGates: Gate[] = [];
const noneOpened: ReadonlySet<string> = new Set();

/** Whether a step has contents to show: entries of a list, steps of a sub-run, calls of an agent. */
export function holdsMore(step: Step): boolean {
  return step.elements !== undefined || step.child !== undefined || asksModel(step);
}

/** Whether its agent has called a model: turns are counted while it runs, calls remain after it has ended. */
export function asksModel(step: Step): boolean {
  return (step.turns ?? 0) > 0 || (step.usage?.llm_calls ?? 0) > 0;
}

/** The drawn plan: a node for each step and for each gate, with gates between their steps. */
export function planOf(
  run: Run,
  gates: Gate[] = noGates,
  approvals: Approval[] = [],
  opened: ReadonlySet<string> = noneOpened,
): Plan {
  const steps = new Map(run.steps.map((step) => [step.id, step]));
  const drawn = gates.filter((gate) => anywhere.has(gate.at) || steps.has(gate.step));
  const asides = asidesOf(run, drawn, approvals);
  const placed = [...drawn, ...asides.keys()];
  const nodes: PlanNode[] = [
    ...run.steps.map((step): StepNode => {
      const open = openAt(step, approvals);
      return { kind: "step", id: step.id, step, open, waits: waits(step, open, run), opened: opened.has(step.id) };
    }),
    ...placed.map((gate): GateNode => {
      const approval = asides.get(gate) ?? latest(approvals.filter((a) => a.gate === gate.id));
      return { kind: "gate", id: gateNodeId(gate), gate, approval, state: gateState(gate, approval, run, steps) };
    }),
  ];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = links(run, placed).map(([from, to]) => ({
    id: `${from}→${to}`,
    from,
    to,
    state: edgeState(byId.get(from), byId.get(to)),
  }));
  return { nodes, edges };
}

/** Pending approvals without a gate in the workflow: placed before the next steps, or at the end. */
function asidesOf(run: Run, gates: Gate[], approvals: Approval[]): Map<Gate, Approval> {
  const known = new Set(gates.map((gate) => gate.id));
  const steps = new Set(run.steps.map((step) => step.id));
  const at = comingNext(run).length > 0 ? "layer" : "end";
  return new Map(
    approvals
      .filter((a) => a.run === run.id && a.status === "pending" && !steps.has(a.step) && !known.has(a.gate))
      .map((a) => [{ id: a.id, at, step: "", title: a.title, role: a.role }, a]),
  );
}

/** The steps of the first layer in which none has started. */
export function comingNext(run: Pick<Run, "steps">): Step[] {
  const begun = Math.max(-1, ...run.steps.filter((step) => step.started_at !== null).map((step) => step.layer));
  const ahead = run.steps.filter((step) => step.status === "pending" && step.layer > begun);
  const next = Math.min(...ahead.map((step) => step.layer));
  return ahead.filter((step) => step.layer === next);
}

/**
 * A gate or a tool call can block an agent that is "running", and a sub-run can block its step: what counts is whether
 * people are waited for.
 */
function waits(step: Step, open: Approval[], run: Run): boolean {
  if (step.status === "waiting" || open.length > 0) return true;
  return step.kind === "workflow" && step.status === "running" && run.status === "waiting";
}

/** The status to show: a running step that waits for people is shown as waiting. */
export function shownStatus({ step, waits }: Pick<StepNode, "step" | "waits">): Step["status"] {
  return waits && step.status === "running" ? "waiting" : step.status;
}

/** The edges: each step has an entry (its first gate before it, or itself) and an exit (its last gate after it). */
function links(run: Run, gates: Gate[]): [string, string][] {
  const out: [string, string][] = [];
  const chain = (ids: string[]) => {
    for (const [i, id] of ids.slice(1).entries()) out.push([ids[i] as string, id]);
  };
  const at = (place: Gate["at"], step = "") => gates.filter((g) => g.at === place && g.step === step).map(gateNodeId);
  const entry = new Map<string, string>();
  const exit = new Map<string, string>();
  const layer = gates.filter((g) => g.at === "layer").map(gateNodeId);
  const next = new Set(layer.length > 0 ? comingNext(run).map((step) => step.id) : []);
  chain(layer);
  for (const step of run.steps) {
    const before = at("before", step.id);
    const after = at("after", step.id);
    const asked = next.has(step.id) ? layer : [];
    chain([...asked.slice(-1), ...before, step.id, ...after]);
    entry.set(step.id, asked[0] ?? before[0] ?? step.id);
    exit.set(step.id, after.at(-1) ?? step.id);
  }
  const starts = gates.filter((g) => g.at === "start").map(gateNodeId);
  const ends = gates.filter((g) => g.at === "end").map(gateNodeId);
  chain(starts);
  chain(ends);
  const needed = new Set(run.steps.flatMap((step) => step.needs));
  for (const step of run.steps) {
    const into = entry.get(step.id) as string;
    const needs = step.needs.filter((need) => exit.has(need));
    for (const need of needs) out.push([exit.get(need) as string, into]);
    const first = starts.at(-1);
    if (needs.length === 0 && first) out.push([first, into]);
    const last = ends[0];
    if (last && !needed.has(step.id)) out.push([exit.get(step.id) as string, last]);
  }
  // Steps of one layer reach the gate before it along the same edges.
  return [...new Map(out.map((pair) => [pair.join("→"), pair])).values()];
}

function gateState(gate: Gate, approval: Approval | undefined, run: Run, steps: Map<string, Step>): GateState {
  if (approval?.status === "pending") return "open";
  if (approval) return answered.has(approval.status) ? "passed" : "refused";
  const step = steps.get(gate.step);
  const gone =
    gate.at === "start"
      ? run.steps.some((s) => s.started_at !== null)
      : gate.at === "end"
        ? run.status === "completed"
        : gate.at === "before"
          ? !!step?.started_at
          : step?.status === "done";
  return gone ? "unasked" : "ahead";
}

function edgeState(from: PlanNode | undefined, to: PlanNode | undefined): EdgeState {
  if (isDead(from) || isDead(to)) return "dead";
  if (to?.kind === "step" && (to.step.status === "running" || to.step.status === "waiting")) return "flowing";
  if (to?.kind === "gate" && to.state === "open") return "flowing";
  const reached = to?.kind === "step" ? to.step.started_at !== null : to?.state !== "ahead";
  return reached ? "done" : "still";
}

function isDead(node: PlanNode | undefined): boolean {
  return node?.kind === "step" && (node.step.status === "skipped" || node.step.status === "cancelled");
}

function openAt(step: Step, approvals: Approval[]): Approval[] {
  return approvals.filter((a) => a.step === step.id && a.status === "pending");
}

function latest(approvals: Approval[]): Approval | undefined {
  return approvals.reduce<Approval | undefined>((a, b) => (a && a.requested_at > b.requested_at ? a : b), undefined);
}

/**
 * The nodes to focus on, most important first: waiting for people, running, failed; else the last one that ended, or
 * the start. A gate comes before its step, because that is what people look for.
 */
export function currentNodes(plan: Plan): string[] {
  const steps = plan.nodes.filter((node) => node.kind === "step");
  const waiting = steps.filter((node) => node.waits).map((node) => node.id);
  const busy = steps.filter((node) => shownStatus(node) === "running").map((node) => node.id);
  const going = [...new Set([...asked(plan, waiting), ...waiting, ...busy])];
  if (going.length > 0) return going;
  const failed = steps.find((node) => node.step.status === "failed");
  if (failed) return [failed.id];
  const [first, ...others] = steps.filter((node) => node.step.ended_at !== null);
  const last = first && others.reduce((a, b) => ((a.step.ended_at ?? "") > (b.step.ended_at ?? "") ? a : b), first);
  return (last ? [last] : steps.slice(0, 1)).map((node) => node.id);
}

/** The open gates, each followed by its step if that is among these. */
function asked(plan: Plan, steps: string[]): string[] {
  return plan.nodes.flatMap((node) => {
    if (node.kind !== "gate" || node.state !== "open") return [];
    return steps.includes(node.gate.step) ? [node.id, node.gate.step] : [node.id];
  });
}

/** The nodes that the view follows: the highlighted ones with their gates, else the current ones. */
export function followed(plan: Plan, marked: ReadonlySet<string> | undefined): string[] {
  const steps = plan.nodes.filter((node) => node.kind === "step" && marked?.has(node.id)).map((node) => node.id);
  if (steps.length === 0) return currentNodes(plan);
  const about = asked(plan, steps).filter((id, i, all) => steps.includes(id) || steps.includes(all[i + 1] ?? ""));
  return [...new Set([...about, ...steps])];
}

/** The approvers in words: people by name, roles by theirs. */
export function waitedFor(approval: Pick<Approval, "assignees" | "role" | "quorum" | "escalated_to">): string {
  const roles = Object.keys(approval.quorum.by_role ?? {});
  const names = [
    ...approval.assignees.map(someone),
    ...(roles.length > 0 ? roles : approval.role ? [approval.role] : []).map(format.title),
    ...(approval.escalated_to ?? []).map(someone),
  ];
  const unique = [...new Set(names)];
  return unique.length === 0 ? "anyone" : unique.join(", ");
}

function someone(name: string): string {
  return name.startsWith("role:") ? format.title(name.slice("role:".length)) : name;
}

/** The question in a line. For a tool call, the effect of the call rather than the fact that there is one. */
export function askText(approval: Pick<Approval, "title" | "description" | "reason" | "agent">): string {
  if (approval.reason !== "call" || !approval.description || approval.description.includes("\n")) return approval.title;
  return approval.agent ? `${format.title(approval.agent)}: ${approval.description}` : approval.description;
}

/** The outcome of an approval in words: "approved by ann"; undefined while it is open. */
export function settledBy(approval: Approval): string | undefined {
  const { outcome } = approval;
  if (!outcome) return undefined;
  const what = outcome.act ? act[outcome.act].done : "settled";
  return outcome.by ? `${what} by ${outcome.by}` : what;
}

/** The colour of a node when zoomed out so far that only colour shows. */
export function toneOf(node: PlanNode): string {
  if (node.kind === "gate") return node.state === "open" ? "waiting" : "gate";
  return node.waits ? "waiting" : node.step.status;
}
