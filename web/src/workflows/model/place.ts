import type { Run, Step } from "../../api/types";
import { arrange, sizeOf } from "../../graph/layout";
import { type Gate, type Plan, planOf } from "../../graph/plan";
import { format } from "../../words";
import { type Flow, type GateDef, needsOf, spotOf } from "./flow";

export interface Point {
  x: number;
  y: number;
}

/** The node of a gate on the canvas. */
export const gateNode = (id: string): string => `gate ${id}`;

/** The places of nodes, of which one has another name. */
export function withName(places: Readonly<Record<string, Point>>, old: string, name: string): Record<string, Point> {
  const { [old]: at, ...others } = places;
  return at ? { ...others, [name]: at } : others;
}

const placed = (gate: GateDef): Gate | undefined => {
  const { place, of } = spotOf(gate);
  if (place !== "start" && place !== "before" && place !== "after" && place !== "end" && place !== "call")
    return undefined;
  return { id: gate.id, at: place, step: of, title: gate.title || format.title(gate.id), role: gate.role ?? "" };
};

/** The plan of a workflow: its steps, with gates between them, and edges. */
export function planOfFlow(flow: Flow): Plan {
  const known = new Set(flow.steps.map((s) => s.id));
  const steps = flow.steps
    .filter((s, i) => s.id !== "" && flow.steps.findIndex((o) => o.id === s.id) === i)
    .map((s) => {
      const needs = needsOf(flow, flow.steps.indexOf(s)).filter((n) => known.has(n) && n !== s.id);
      return {
        id: s.id,
        needs,
        kind: "agent",
        status: "pending",
        layer: 0,
        started_at: null,
        ended_at: null,
      } as unknown as Step;
    });
  const gates = flow.gates
    .filter((g, i) => g.id !== "" && flow.gates.findIndex((o) => o.id === g.id) === i)
    .flatMap((g) => placed(g) ?? []);
  return planOf({ id: "", status: "running", steps } as unknown as Run, gates);
}

const gap = 40;

/**
 * Where everything is drawn. What was placed by hand stays there, and what was drawn before stays where it was; only new
 * nodes are placed, and those after them make room.
 */
export function placesOf(
  plan: Plan,
  byHand: Readonly<Record<string, Point>>,
  before: ReadonlyMap<string, Point>,
): Map<string, Point> {
  const places = new Map<string, Point>();
  const earlier = nameBefore(plan, before);
  for (const node of plan.nodes) {
    const at = byHand[node.id] ?? before.get(node.id) ?? before.get(earlier.get(node.id) ?? "");
    if (at) places.set(node.id, at);
  }
  if (places.size === 0) return arrange(plan, "TB").places;
  const fresh = plan.nodes.filter((node) => !places.has(node.id));
  if (fresh.length === 0) return places;
  const sizes = new Map(plan.nodes.map((node) => [node.id, sizeOf(node)]));
  for (const id of inOrder(
    plan,
    fresh.map((n) => n.id),
  ))
    place(plan, id, places, sizes, byHand);
  return places;
}

/** What a node was called before, if it is the only new one and one is gone. */
function nameBefore(plan: Plan, before: ReadonlyMap<string, Point>): ReadonlyMap<string, string> {
  const now = new Set(plan.nodes.map((node) => node.id));
  const [fresh, ...more] = [...now].filter((id) => !before.has(id));
  const [gone, ...others] = [...before.keys()].filter((id) => !now.has(id));
  if (!fresh || !gone || more.length + others.length > 0) return new Map();
  return fresh.startsWith(gateNode("")) === gone.startsWith(gateNode("")) ? new Map([[fresh, gone]]) : new Map();
}

/** New nodes, those that others lead to last. */
function inOrder(plan: Plan, fresh: string[]): string[] {
  const left = new Set(fresh);
  const out: string[] = [];
  while (left.size > 0) {
    const next =
      [...left].find((id) => !plan.edges.some((e) => e.to === id && left.has(e.from))) ?? ([...left][0] as string);
    left.delete(next);
    out.push(next);
  }
  return out;
}

function place(
  plan: Plan,
  id: string,
  places: Map<string, Point>,
  sizes: Map<string, { width: number; height: number }>,
  byHand: Readonly<Record<string, Point>>,
): void {
  const size = sizes.get(id) ?? { width: 248, height: 84 };
  const box = (other: string) => {
    const at = places.get(other);
    const { width, height } = sizes.get(other) ?? size;
    return at && { left: at.x, top: at.y, right: at.x + width, bottom: at.y + height };
  };
  const from = plan.edges.filter((e) => e.to === id).flatMap((e) => box(e.from) ?? []);
  const to = plan.edges.filter((e) => e.from === id).map((e) => e.to);
  const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  let x: number;
  let y: number;
  if (from.length > 0) {
    // Between two, it takes the place of the one that makes room.
    const beside = to.length === 1 ? to.flatMap((t) => (byHand[t] ? [] : (box(t) ?? []))) : [];
    x = mean((beside.length > 0 ? beside : from).map((b) => (b.left + b.right) / 2)) - size.width / 2;
    y = Math.max(...from.map((b) => b.bottom)) + gap;
  } else {
    const next = to.flatMap((t) => box(t) ?? []);
    const all = [...places.keys()].flatMap((o) => box(o) ?? []);
    x =
      next.length > 0
        ? mean(next.map((b) => (b.left + b.right) / 2)) - size.width / 2
        : Math.min(...all.map((b) => b.left));
    y = next.length > 0 ? Math.min(...next.map((b) => b.top)) : Math.min(...all.map((b) => b.top));
  }
  // Those after it make room, unless they were put where they are by hand.
  const room = Math.max(0, ...to.flatMap((t) => (box(t) ? y + size.height + gap - (box(t)?.top ?? 0) : 0)));
  if (room > 0) {
    for (const other of after(plan, id)) {
      const at = places.get(other);
      if (at && !byHand[other]) places.set(other, { x: at.x, y: at.y + room });
    }
  }
  const hits = () =>
    [...places.keys()].some((other) => {
      const b = box(other);
      return b && x < b.right + 20 && x + size.width + 20 > b.left && y < b.bottom + 12 && y + size.height + 12 > b.top;
    });
  for (let i = 0; i < 200 && hits(); i++) x += size.width + 24;
  places.set(id, { x, y });
}

/** Everything that comes after a node. */
function after(plan: Plan, id: string): Set<string> {
  const found = new Set<string>();
  const queue = [id];
  while (queue.length > 0) {
    const from = queue.pop();
    for (const e of plan.edges) {
      if (e.from === from && !found.has(e.to)) {
        found.add(e.to);
        queue.push(e.to);
      }
    }
  }
  return found;
}
