import { Graph, layout } from "@dagrejs/dagre";
import type { Plan, PlanNode } from "./plan";

export type Direction = "LR" | "TB";

export const sizes = { step: { width: 248, height: 84 }, gate: { width: 216, height: 52 } } as const;

/** The extra height of a step that shows its contents. */
export const withinHeight = 156;

export function sizeOf(node: PlanNode): { width: number; height: number } {
  const { width, height } = sizes[node.kind];
  return { width, height: node.kind === "step" && node.opened ? height + withinHeight : height };
}

export interface Place {
  x: number;
  y: number;
}

/** Wide panes read left to right, tall ones top to bottom. */
export function directionFor(width: number, height: number): Direction {
  return width > height * 1.2 ? "LR" : "TB";
}

export interface Layout {
  /** The position of each node (its upper left corner). */
  places: Map<string, Place>;
  /** The bends of each edge between its ends, so that it crosses no node. */
  bends: Map<string, Place[]>;
}

/** Lays out the plan. */
export function arrange(plan: Plan, direction: Direction): Layout {
  const ranks = ranksOf(plan);
  const span = plan.edges.reduce((sum, e) => sum + (ranks.get(e.to) ?? 0) - (ranks.get(e.from) ?? 0), 0);
  // Routing every edge takes seconds if many are long.
  return plan.nodes.length + span > carefulMax ? inColumns(plan, ranks, direction) : carefully(plan, direction);
}

const carefulMax = 500;
const gap = { LR: 40, TB: 40, beside: 20 };

function carefully(plan: Plan, direction: Direction): Layout {
  const graph = new Graph();
  graph.setGraph({
    rankdir: direction,
    nodesep: gap.beside,
    ranksep: gap[direction],
    marginx: 16,
    marginy: 16,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of plan.nodes) graph.setNode(node.id, sizeOf(node));
  for (const edge of plan.edges) graph.setEdge(edge.from, edge.to);
  layout(graph);
  const across = direction === "LR" ? "y" : "x";
  const turn = turned(plan, graph, direction);
  const centre = ({ x, y }: Place): Place => ({ x, y, [across]: turn(direction === "LR" ? y : x) });
  const centres = new Map(plan.nodes.map((node) => [node.id, centre(graph.node(node.id) as Place)]));
  const places = new Map(
    plan.nodes.map((node) => {
      const { x, y } = centres.get(node.id) as Place;
      const { width, height } = sizeOf(node);
      return [node.id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
  const ranks = [...centres.values()].map((c) => (direction === "LR" ? c.x : c.y));
  const { width, height } = largest(plan);
  const half = direction === "LR" ? width / 2 : height / 2;
  const bends = new Map(
    plan.edges.map((edge) => {
      const { points = [] } = graph.edge(edge.from, edge.to) as { points?: Place[] };
      return [edge.id, lanes(points.slice(1, -1).map(centre), ranks, half, direction)];
    }),
  );
  return { places, bends };
}

/**
 * The layout orders parallel nodes arbitrarily: mirror it if more of them run against the plan's order than along it.
 */
function turned(plan: Plan, graph: Graph, direction: Direction): (across: number) => number {
  const [along, across] = direction === "LR" ? (["x", "y"] as const) : (["y", "x"] as const);
  const all = plan.nodes.map((node) => graph.node(node.id) as Place);
  const ranks = new Map<number, number[]>();
  for (const place of all) ranks.set(place[along], [...(ranks.get(place[along]) ?? []), place[across]]);
  let against = 0;
  for (const rank of ranks.values())
    for (const [i, here] of rank.entries()) for (const later of rank.slice(i + 1)) against += Math.sign(here - later);
  if (against <= 0) return (value) => value;
  const ends = all.map((place) => place[across]);
  const sum = Math.min(...ends) + Math.max(...ends);
  return (value) => sum - value;
}

/** The longest chain of steps that leads to each node. */
function ranksOf(plan: Plan): Map<string, number> {
  const into = new Map<string, string[]>(plan.nodes.map((n) => [n.id, []]));
  for (const edge of plan.edges) into.get(edge.to)?.push(edge.from);
  const ranks = new Map<string, number>();
  const rank = (id: string): number => {
    const known = ranks.get(id);
    if (known !== undefined) return known;
    ranks.set(id, 0); // a cycle, which no plan has, would end here
    const value = Math.max(0, ...(into.get(id) ?? []).map((from) => rank(from) + 1));
    ranks.set(id, value);
    return value;
  };
  for (const node of plan.nodes) rank(node.id);
  return ranks;
}

/** One column per rank, each node near its neighbours. Edges are straight. */
function inColumns(plan: Plan, ranks: Map<string, number>, direction: Direction): Layout {
  const columns: string[][] = [];
  for (const node of plan.nodes) {
    const rank = ranks.get(node.id) ?? 0;
    columns[rank] ??= [];
    columns[rank].push(node.id);
  }
  const linked = new Map<string, string[]>(plan.nodes.map((n) => [n.id, []]));
  for (const { from, to } of plan.edges) {
    linked.get(from)?.push(to);
    linked.get(to)?.push(from);
  }
  const at = new Map<string, number>();
  const settle = (column: string[]) => {
    for (const [i, id] of column.entries()) at.set(id, i - (column.length - 1) / 2);
  };
  for (const column of columns) settle(column);
  for (const order of [columns, columns.toReversed(), columns, columns.toReversed()]) {
    for (const column of order) {
      const wish = new Map(column.map((id) => [id, mean((linked.get(id) ?? []).map((other) => at.get(other) ?? 0))]));
      column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
      settle(column);
    }
  }
  const { width, height } = largest(plan);
  const places = new Map(
    plan.nodes.map((node) => {
      const rank = ranks.get(node.id) ?? 0;
      const beside = at.get(node.id) ?? 0;
      const size = sizeOf(node);
      const centre =
        direction === "LR"
          ? { x: rank * (width + gap.LR), y: beside * (height + gap.beside) }
          : { x: beside * (width + gap.beside), y: rank * (height + gap.TB) };
      return [node.id, { x: centre.x - size.width / 2, y: centre.y - size.height / 2 }];
    }),
  );
  return { places, bends: new Map() };
}

function largest(plan: Plan): { width: number; height: number } {
  const height = Math.max(sizes.step.height, ...plan.nodes.map((node) => sizeOf(node).height));
  return { width: sizes.step.width, height };
}

function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** An edge runs straight past a rank of nodes; it may bend between ranks. */
function lanes(points: Place[], ranks: number[], half: number, direction: Direction): Place[] {
  return points.flatMap((point) => {
    const along = direction === "LR" ? point.x : point.y;
    if (!ranks.some((rank) => Math.abs(rank - along) < 1)) return [];
    return direction === "LR"
      ? [
          { x: point.x - half, y: point.y },
          { x: point.x + half, y: point.y },
        ]
      : [
          { x: point.x, y: point.y - half },
          { x: point.x, y: point.y + half },
        ];
  });
}

/** A line through points that starts and ends along the direction of the graph. */
export function pathThrough(points: Place[], direction: Direction): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let from = first;
  let path = `M${first.x},${first.y}`;
  for (const to of rest) {
    if (direction === "LR") {
      const middle = (from.x + to.x) / 2;
      path += `C${middle},${from.y} ${middle},${to.y} ${to.x},${to.y}`;
    } else {
      const middle = (from.y + to.y) / 2;
      path += `C${from.x},${middle} ${to.x},${middle} ${to.x},${to.y}`;
    }
    from = to;
  }
  return path;
}

/** Everything that affects the layout; statuses do not. */
export function signature(plan: Plan): string {
  return `${plan.nodes.map((n) => (n.kind === "step" && n.opened ? `${n.id} opened` : n.id)).join("|")}\n${plan.edges.map((e) => e.id).join("|")}`;
}

/** The nearest node in the direction of an arrow key. */
export function neighbour(
  from: string | undefined,
  key: "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown",
  places: Map<string, Place>,
): string | undefined {
  const here = from === undefined ? undefined : places.get(from);
  if (!here) return places.keys().next().value;
  const along = key === "ArrowLeft" || key === "ArrowRight" ? "x" : "y";
  const across = along === "x" ? "y" : "x";
  const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
  let best: { id: string; cost: number } | undefined;
  for (const [id, place] of places) {
    const ahead = (place[along] - here[along]) * sign;
    if (id === from || ahead < 8) continue;
    const cost = ahead + Math.abs(place[across] - here[across]) * 2;
    if (!best || cost < best.cost) best = { id, cost };
  }
  return best?.id;
}
