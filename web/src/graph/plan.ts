import type { Approval, Run, Step } from "../api/types";
import { plain, type Raw } from "../json";
import { act, format } from "../words";

/** A question that the workflow asks people at a place of its plan. */
export interface Gate {
  id: string;
  at: "start" | "before" | "after" | "end";
  /** The step that it stands before or after. */
  step: string;
  title: string;
  role: string;
}

/** The gates of a workflow's definition. Gates on tool calls have no place of their own in the plan. */
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

/** ahead: not reached; open: people are asked; passed, refused: they answered; unasked: went by without asking. */
export type GateState = "ahead" | "open" | "passed" | "refused" | "unasked";

export interface StepNode {
  kind: "step";
  id: string;
  step: Step;
  /** Approvals that wait for people because of it. */
  open: Approval[];
}

export interface GateNode {
  kind: "gate";
  id: string;
  gate: Gate;
  state: GateState;
  approval?: Approval;
}

export type PlanNode = StepNode | GateNode;

/** flowing: what it leads to is at work; done: data went along it; still: not yet; dead: never will. */
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
const gateNodeId = (gate: Gate) => `gate ${gate.id}`;

/** What is drawn: a node for each step, and one for each gate, between the steps that it stands between. */
export function planOf(run: Run, gates: Gate[] = [], approvals: Approval[] = []): Plan {
  const steps = new Map(run.steps.map((step) => [step.id, step]));
  const placed = gates.filter((gate) => gate.at === "start" || gate.at === "end" || steps.has(gate.step));
  const nodes: PlanNode[] = [
    ...run.steps.map((step): StepNode => ({ kind: "step", id: step.id, step, open: openAt(step, approvals) })),
    ...placed.map((gate): GateNode => {
      const approval = latest(approvals.filter((a) => a.gate === gate.id));
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

/** Who leads to whom: each step has an entry (its first gate before, or itself) and an exit (its last gate after). */
function links(run: Run, gates: Gate[]): [string, string][] {
  const out: [string, string][] = [];
  const chain = (ids: string[]) => {
    for (const [i, id] of ids.slice(1).entries()) out.push([ids[i] as string, id]);
  };
  const at = (place: Gate["at"], step = "") => gates.filter((g) => g.at === place && g.step === step).map(gateNodeId);
  const entry = new Map<string, string>();
  const exit = new Map<string, string>();
  for (const step of run.steps) {
    const before = at("before", step.id);
    const after = at("after", step.id);
    chain([...before, step.id, ...after]);
    entry.set(step.id, before[0] ?? step.id);
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
  return out;
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

/** The step that deserves the eye: one that failed, waits or works; else the last that ended. */
export function currentStep(run: Run): string | undefined {
  for (const status of ["failed", "running", "waiting"]) {
    const found = run.steps.find((step) => step.status === status);
    if (found) return found.id;
  }
  const ended = run.steps.filter((step) => step.ended_at !== null);
  return ended.reduce<Step | undefined>((a, b) => (a && (a.ended_at ?? "") > (b.ended_at ?? "") ? a : b), undefined)
    ?.id;
}

/** Who is asked, in words: people by name, roles by theirs. */
export function waitedFor(approval: Pick<Approval, "assignees" | "role" | "quorum" | "escalated_to">): string {
  const roles = Object.keys(approval.quorum.by_role ?? {});
  const names = [
    ...approval.assignees.map(someone),
    ...(roles.length > 0 ? roles : approval.role ? [approval.role] : []).map(format.title),
    ...(approval.escalated_to ?? []).map(someone),
  ];
  const unique = [...new Set(names)];
  return unique.length === 0 ? "anybody" : unique.join(", ");
}

function someone(name: string): string {
  return name.startsWith("role:") ? format.title(name.slice("role:".length)) : name;
}

/** What is asked, in a line. For a tool call that is what the call does, not that there is one. */
export function askText(approval: Pick<Approval, "title" | "description" | "reason" | "agent">): string {
  if (approval.reason !== "call" || !approval.description || approval.description.includes("\n")) return approval.title;
  return approval.agent ? `${format.title(approval.agent)}: ${approval.description}` : approval.description;
}

/** How an approval ended, in words: "approved by ann"; undefined while it is open. */
export function settledBy(approval: Approval): string | undefined {
  const { outcome } = approval;
  if (!outcome) return undefined;
  const what = outcome.act ? act[outcome.act].done : "settled";
  return outcome.by ? `${what} by ${outcome.by}` : what;
}
