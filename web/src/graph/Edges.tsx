import { ViewportPortal } from "@xyflow/react";
import { memo } from "react";
import { type Direction, type Layout, pathThrough, sizeOf } from "./layout";
import type { Plan, PlanNode } from "./plan";

interface Props {
  plan: Plan;
  layout: Layout;
  direction: Direction;
}

/**
 * All edges in one SVG. React Flow gives each edge its own SVG over the whole pane: with a thousand of them, every
 * mouse move hit-tested a thousand layers.
 */
export const Edges = memo(function Edges({ plan, layout, direction }: Props) {
  const nodes = new Map(plan.nodes.map((node) => [node.id, node]));
  return (
    <ViewportPortal>
      <svg aria-hidden className="edges">
        {plan.edges.map((edge) => (
          <path
            key={edge.id}
            className={`edge-${edge.state}`}
            d={wayOf(nodes.get(edge.from), nodes.get(edge.to), layout, direction, edge.id)}
          />
        ))}
      </svg>
    </ViewportPortal>
  );
});

/** From the end of one step to the start of the other, through the bends found by the layout. */
function wayOf(from: PlanNode | undefined, to: PlanNode | undefined, layout: Layout, direction: Direction, id: string) {
  const start = from && layout.places.get(from.id);
  const end = to && layout.places.get(to.id);
  if (!start || !end) return "";
  const { width, height } = sizeOf(from);
  const across = sizeOf(to);
  const [leaves, arrives] =
    direction === "LR"
      ? [
          { x: start.x + width, y: start.y + height / 2 },
          { x: end.x, y: end.y + across.height / 2 },
        ]
      : [
          { x: start.x + width / 2, y: start.y + height },
          { x: end.x + across.width / 2, y: end.y },
        ];
  return pathThrough([leaves, ...(layout.bends.get(id) ?? []), arrives], direction);
}
