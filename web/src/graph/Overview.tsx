import { useViewport } from "@xyflow/react";
import { type PointerEvent, useMemo } from "react";
import { type PlanNode, toneOf } from "./plan";
import { type Box, bounds, type Size, type View, viewAround } from "./view";

const most: Size = { width: 176, height: 112 };
const least = 24;
const frameLeast = 8;

interface Props {
  nodes: PlanNode[];
  boxes: Map<string, Box>;
  pane: Size;
  onGo: (view: View) => void;
}

/** A minimap of the graph. Its axes have separate scales: a chain of hundreds would be too thin to see. */
export function Overview({ nodes, boxes, pane, onGo }: Props) {
  const view = useViewport();
  const { all, size, scale } = useMemo(() => measure(boxes), [boxes]);
  const dots = useMemo(
    () =>
      [...nodes]
        .sort((a, b) => weight(a) - weight(b))
        .flatMap((node) => {
          const box = boxes.get(node.id);
          if (!box) return [];
          // Important nodes have to be findable, so they are never too thin to see.
          const thin = weight(node) > 0 ? 4 : 1;
          const width = Math.max(thin, box.width * scale.x);
          const height = Math.max(4, box.height * scale.y);
          const x = (box.x + box.width / 2 - all.x) * scale.x - width / 2;
          const y = (box.y + box.height / 2 - all.y) * scale.y - height / 2;
          return [
            <rect key={node.id} className={`mini-${toneOf(node)}`} x={x} y={y} width={width} height={height} rx={1} />,
          ];
        }),
    [nodes, boxes, all, scale],
  );
  const go = (event: PointerEvent<SVGSVGElement>) => {
    const here = event.currentTarget.getBoundingClientRect();
    const x = all.x + ((event.clientX - here.left) / here.width) * all.width;
    const y = all.y + ((event.clientY - here.top) / here.height) * all.height;
    onGo(viewAround({ x, y, width: 0, height: 0 }, boxes, pane, view.zoom));
  };
  const frame = frameOf(view, pane, all, size, scale);
  return (
    <svg
      role="img"
      aria-label="Map of all steps"
      width={size.width}
      height={size.height}
      className="overview absolute right-2 bottom-2 z-10 cursor-pointer touch-none rounded-sm border bg-surface"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        go(event);
      }}
      onPointerMove={(event) => event.buttons > 0 && go(event)}
    >
      {dots}
      <rect className="mini-frame" rx={2} {...frame} />
    </svg>
  );
}

/** The size of the map, and its scale along each axis. */
export function measure(boxes: Map<string, Box>): { all: Box; size: Size; scale: { x: number; y: number } } {
  const all = bounds(boxes);
  const even = Math.min(most.width / Math.max(1, all.width), most.height / Math.max(1, all.height));
  const size = {
    width: Math.max(least, Math.round(all.width * even)),
    height: Math.max(least, Math.round(all.height * even)),
  };
  return { all, size, scale: { x: size.width / Math.max(1, all.width), y: size.height / Math.max(1, all.height) } };
}

/** The visible part on the map; never too small to see, and never beyond the map. */
export function frameOf(view: View, pane: Size, all: Box, size: Size, scale: { x: number; y: number }): Box {
  const side = (at: number, origin: number, length: number, by: number, whole: number) => {
    const from = (-at / view.zoom - origin) * by;
    const to = from + (length / view.zoom) * by;
    const wide = Math.min(Math.max(Math.min(whole, to) - Math.max(0, from), frameLeast), whole);
    const middle = (Math.max(0, from) + Math.min(whole, to)) / 2;
    return { from: Math.min(Math.max(0, middle - wide / 2), whole - wide), wide };
  };
  const x = side(view.x, all.x, pane.width, scale.x, size.width);
  const y = side(view.y, all.y, pane.height, scale.y, size.height);
  return { x: x.from, y: y.from, width: x.wide, height: y.wide };
}

const weights: Record<string, number> = { running: 1, waiting: 2, failed: 3 };

function weight(node: PlanNode): number {
  return weights[toneOf(node)] ?? 0;
}
