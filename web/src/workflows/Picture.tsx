import { memo, useMemo } from "react";
import { arrange, pathThrough, sizeOf } from "../graph/layout";
import type { Plan } from "../graph/plan";
import { readFlow } from "./model/flow";
import { planOfFlow } from "./model/place";

export type Mark = "added" | "removed" | "changed";

const nodesMax = 60;
const widthMin = 860;
const heightMin = 200;
const fills: Record<Mark, string> = { added: "fill-ok-text", removed: "fill-bad-text", changed: "fill-warn-text" };

/** A small picture of a workflow: boxes for steps, pills for gates. */
export const Picture = memo(function Picture({ yaml, className }: { yaml: string; className?: string }) {
  const plan = useMemo(() => {
    const { flow } = readFlow(yaml);
    return flow && planOfFlow(flow);
  }, [yaml]);
  return <PlanPicture plan={plan} className={className} />;
});

export function PlanPicture({
  plan,
  marks,
  className,
}: {
  plan?: Plan;
  marks?: ReadonlyMap<string, Mark>;
  className?: string;
}) {
  const drawn = useMemo(() => {
    if (!plan || plan.nodes.length === 0) return undefined;
    const some = plan.nodes.slice(0, nodesMax);
    const ids = new Set(some.map((n) => n.id));
    const part = { nodes: some, edges: plan.edges.filter((e) => ids.has(e.from) && ids.has(e.to)) };
    const { places, bends } = arrange(part, "LR");
    const boxes = some.map((node) => ({ node, ...(places.get(node.id) ?? { x: 0, y: 0 }), ...sizeOf(node) }));
    const by = new Map(boxes.map((b) => [b.node.id, b]));
    const lines = part.edges.map((e) => {
      const [a, b] = [by.get(e.from), by.get(e.to)];
      if (!a || !b) return "";
      const ends = [
        { x: a.x + a.width, y: a.y + a.height / 2 },
        ...(bends.get(e.id) ?? []),
        { x: b.x, y: b.y + b.height / 2 },
      ];
      return pathThrough(ends, "LR");
    });
    const right = Math.max(...boxes.map((b) => b.x + b.width));
    const left = Math.min(...boxes.map((b) => b.x));
    const top = Math.min(...boxes.map((b) => b.y));
    const bottom = Math.max(...boxes.map((b) => b.y + b.height));
    // Small workflows are not drawn larger than others.
    const width = Math.max(right - left, widthMin) + 24;
    const height = Math.max(bottom - top, heightMin) + 24;
    const x = (left + right - width) / 2;
    const y = (top + bottom - height) / 2;
    return { boxes, lines, view: `${x} ${y} ${width} ${height}` };
  }, [plan]);
  if (!drawn) return <div className={className} />;
  return (
    <svg aria-hidden viewBox={drawn.view} preserveAspectRatio="xMidYMid meet" className={className}>
      <g className="fill-none stroke-border-strong" strokeWidth={6}>
        {drawn.lines.map((d, i) => (
          <path key={i} d={d} />
        ))}
      </g>
      {drawn.boxes.map(({ node, x, y, width, height }) => {
        const mark = marks?.get(node.id);
        return (
          <rect
            key={node.id}
            x={x}
            y={y}
            width={width}
            height={height}
            rx={node.kind === "gate" ? height / 2 : 14}
            strokeWidth={5}
            strokeDasharray={mark === "removed" ? "16 10" : undefined}
            className={
              mark
                ? fills[mark]
                : node.kind === "gate"
                  ? "fill-warn-bg stroke-warn-text"
                  : "fill-accent-bg stroke-accent-text"
            }
          />
        );
      })}
    </svg>
  );
}
