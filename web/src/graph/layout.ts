import { Graph, layout } from "@dagrejs/dagre";
import type { Plan } from "./plan";

export type Direction = "LR" | "TB";

export const sizes = { step: { width: 248, height: 84 }, gate: { width: 216, height: 52 } } as const;

export interface Place {
  x: number;
  y: number;
}

/** Wide panes read from left to right, tall ones from top to bottom. */
export function directionFor(width: number, height: number): Direction {
  return width > height * 1.2 ? "LR" : "TB";
}

/** Where each node stands (its upper left corner). */
export function arrange(plan: Plan, direction: Direction): Map<string, Place> {
  const graph = new Graph();
  graph.setGraph({
    rankdir: direction,
    nodesep: 20,
    ranksep: direction === "LR" ? 56 : 40,
    marginx: 16,
    marginy: 16,
    // The exact way takes seconds for hundreds of steps.
    ranker: plan.nodes.length > 120 ? "longest-path" : "network-simplex",
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of plan.nodes) graph.setNode(node.id, { ...sizes[node.kind] });
  for (const edge of plan.edges) graph.setEdge(edge.from, edge.to);
  layout(graph);
  return new Map(
    plan.nodes.map((node) => {
      const { x, y } = graph.node(node.id) as Place;
      const { width, height } = sizes[node.kind];
      return [node.id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
}

/** What changes the layout; statuses do not. */
export function signature(plan: Plan): string {
  return `${plan.nodes.map((n) => n.id).join("|")}\n${plan.edges.map((e) => e.id).join("|")}`;
}

/** The nearest node from one in the direction of an arrow key. */
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
