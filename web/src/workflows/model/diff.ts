import type { Plan } from "../../graph/plan";
import { type Flow, needsOf } from "./flow";
import { gateNode, planOfFlow } from "./place";

export type Mark = "added" | "removed" | "changed";

/** What one text of a workflow changes against another. */
export interface Difference {
  /** By node of the canvas. */
  marks: ReadonlyMap<string, Mark>;
  /** Names of settings outside of steps and gates. */
  settings: string[];
  /** Both drawn together. */
  plan: Plan;
  before: Flow;
}

/** The difference, as it matters to a run: comments, order of keys and spelling are none. */
export function differenceOf(before: Flow, after: Flow): Difference {
  const marks = new Map<string, Mark>();
  const compare = (old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>) => {
    for (const [id, value] of now) if (old.get(id) !== value) marks.set(id, old.has(id) ? "changed" : "added");
    for (const id of old.keys()) if (!now.has(id)) marks.set(id, "removed");
  };
  const steps = (flow: Flow) =>
    new Map(flow.steps.map((step, i) => [step.id, inOrder({ ...step, needs: [...needsOf(flow, i)].sort() })]));
  const gates = (flow: Flow) => new Map(flow.gates.map((gate) => [gateNode(gate.id), inOrder(gate)]));
  compare(steps(before), steps(after));
  compare(gates(before), gates(after));
  const keys = new Set([...Object.keys(before.all), ...Object.keys(after.all)]);
  const settings = [...keys].filter(
    (key) => key !== "steps" && key !== "gates" && inOrder(before.all[key]) !== inOrder(after.all[key]),
  );
  return { marks, settings, plan: together(planOfFlow(before), planOfFlow(after), marks), before };
}

/** A value as text, with its keys in order. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, v: unknown) =>
    typeof v === "object" && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );
}

/** So many nodes of a plan as a picture has room for: first what was removed, then other changes and what is beside them. */
export function partOf(plan: Plan, marks: ReadonlyMap<string, Mark> | undefined, max: number): Plan {
  if (plan.nodes.length <= max) return plan;
  const beside = new Set(plan.edges.flatMap((e) => [marks?.has(e.from) ? e.to : "", marks?.has(e.to) ? e.from : ""]));
  const rank = (id: string) => (marks?.get(id) === "removed" ? 0 : marks?.has(id) ? 1 : beside.has(id) ? 2 : 3);
  const first = plan.nodes.map((n) => n.id).sort((a, b) => rank(a) - rank(b)); // keeps the order of equals
  const ids = new Set(first.slice(0, max));
  return {
    nodes: plan.nodes.filter((n) => ids.has(n.id)),
    edges: plan.edges.filter((e) => ids.has(e.from) && ids.has(e.to)),
  };
}

/** One plan with the nodes of the newer one and those that were removed. */
export function together(old: Plan, now: Plan, marks: ReadonlyMap<string, Mark>): Plan {
  const known = new Set(now.nodes.map((n) => n.id));
  const gone = old.nodes.filter((n) => !known.has(n.id) && marks.get(n.id) === "removed");
  const goneIds = new Set(gone.map((n) => n.id));
  const there = (id: string) => known.has(id) || goneIds.has(id);
  const edges = old.edges.filter((e) => (goneIds.has(e.from) || goneIds.has(e.to)) && there(e.from) && there(e.to));
  return { nodes: [...now.nodes, ...gone], edges: [...now.edges, ...edges] };
}
