import { memo, useMemo } from "react";
import { arrange, pathThrough, sizeOf } from "../graph/layout";
import type { Plan } from "../graph/plan";
import { format } from "../words";
import { spelled } from "../words/unseen";
import { type Mark, partOf } from "./model/diff";
import { readFlow } from "./model/flow";
import { planOfFlow } from "./model/place";

export const nodesMax = 60;
const widthMin = 860;
const heightMin = 200;
const fills: Record<Mark, string> = { added: "fill-ok-text", removed: "fill-bad-text", changed: "fill-warn-text" };

const lined: Record<Mark | "gate" | "step", string> = {
  added: "fill-ok-bg stroke-ok-text",
  removed: "fill-bad-bg stroke-bad-text",
  changed: "fill-warn-bg stroke-warn-text",
  gate: "fill-surface stroke-border-strong",
  step: "fill-surface stroke-border-strong",
};
const short = (text: string): string => (text.length > 18 ? `${text.slice(0, 17)}…` : text);

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
  named = false,
  className,
}: {
  plan?: Plan;
  marks?: ReadonlyMap<string, Mark>;
  /** Whether the names of steps and gates are written into them, large enough to be read. */
  named?: boolean;
  className?: string;
}) {
  const drawn = useMemo(() => {
    if (!plan || plan.nodes.length === 0) return undefined;
    const part = partOf(plan, marks, nodesMax);
    const some = part.nodes;
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
    return { boxes, lines, width, height, view: `${x} ${y} ${width} ${height}` };
  }, [plan, marks]);
  if (!drawn) return <div className={className} />;
  return (
    <svg
      aria-hidden
      viewBox={drawn.view}
      preserveAspectRatio="xMidYMid meet"
      className={className}
      style={named ? { minWidth: drawn.width / 2, height: Math.max(drawn.height / 2, 160) } : undefined}
    >
      <g className="fill-none stroke-border-strong" strokeWidth={6}>
        {drawn.lines.map((d, i) => (
          <path key={i} d={d} />
        ))}
      </g>
      {drawn.boxes.map(({ node, x, y, width, height }) => {
        const mark = marks?.get(node.id);
        return (
          <g key={node.id} data-node={node.id} data-mark={mark}>
            <rect
              x={x}
              y={y}
              width={width}
              height={height}
              rx={node.kind === "gate" ? height / 2 : 14}
              strokeWidth={named ? 3 : 5}
              strokeDasharray={mark === "removed" ? "16 10" : undefined}
              className={
                named
                  ? lined[mark ?? (node.kind === "gate" ? "gate" : "step")]
                  : mark
                    ? fills[mark]
                    : node.kind === "gate"
                      ? "fill-warn-bg stroke-warn-text"
                      : "fill-accent-bg stroke-accent-text"
              }
            />
            {named && (
              <text
                x={x + width / 2}
                y={y + height / 2}
                textAnchor="middle"
                dominantBaseline="central"
                fontSize={22}
                textDecoration={mark === "removed" ? "line-through" : undefined}
                className={mark ? fills[mark] : "fill-text"}
              >
                {spelled(short(node.kind === "gate" ? node.gate.title : format.title(node.id)))}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
