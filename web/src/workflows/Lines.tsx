import { useStore, ViewportPortal } from "@xyflow/react";
import { memo, useMemo, useRef } from "react";
import { pathThrough, sizeOf } from "../graph/layout";
import type { Plan } from "../graph/plan";
import type { Point } from "./model/place";
import type { Picked } from "./studio";

/** A connection, from the lower edge of one node to the upper edge of another. */
export interface Link {
  id: string;
  ends: readonly [Point, Point];
  /** It was removed, and is shown as a change. */
  gone: boolean;
}

/** there: the nodes of the draft; links from and to others were removed. */
export function linksOf(plan: Plan, places: ReadonlyMap<string, Point>, there: ReadonlySet<string>): Link[] {
  const sizes = new Map(plan.nodes.map((n) => [n.id, sizeOf(n)]));
  return plan.edges.flatMap((edge) => {
    const [a, b] = [places.get(edge.from), places.get(edge.to)];
    const [from, to] = [sizes.get(edge.from), sizes.get(edge.to)];
    if (!a || !b || !from || !to) return [];
    const ends = [
      { x: a.x + from.width / 2, y: a.y + from.height },
      { x: b.x + to.width / 2, y: b.y },
    ] as const;
    return [{ id: edge.id, ends, gone: !there.has(edge.from) || !there.has(edge.to) }];
  });
}

/** All links in one SVG: the canvas library would lay one over the whole pane for each. */
export const Lines = memo(function Lines(props: {
  links: readonly Link[];
  picked?: Picked;
  onPick: (picked: Picked) => void;
}) {
  const { links, picked, onPick } = props;
  return (
    <ViewportPortal>
      <svg aria-hidden className="lines">
        {links.map((link) => drawn(link, picked, onPick))}
      </svg>
    </ViewportPortal>
  );
});

/** Of many links, which are painted, those in view can be chosen once they can be hit and the view rests. */
export const LinesInView = memo(function LinesInView(props: {
  links: readonly Link[];
  picked?: Picked;
  near: boolean;
  resting: boolean;
  onPick: (picked: Picked) => void;
}) {
  const { links, picked, near, resting, onPick } = props;
  const now = useStore(({ transform: [x, y, zoom], width, height }) =>
    near ? [-x, -y, width - x, height - y].map((edge) => Math.floor(edge / zoom / cell)).join() : "",
  );
  const held = useRef(now);
  if (resting) held.current = now;
  const view = held.current;
  const inView = useMemo(() => {
    if (!view) return [];
    const [left = 0, top = 0, right = 0, bottom = 0] = view.split(",").map((n) => Number(n) * cell);
    return links.filter(
      ({ ends: [a, b], gone }) =>
        !gone &&
        Math.min(a.x, b.x) <= right + cell &&
        Math.max(a.x, b.x) >= left &&
        Math.min(a.y, b.y) <= bottom + cell &&
        Math.max(a.y, b.y) >= top,
    );
  }, [view, links]);
  return (
    <ViewportPortal>
      <svg aria-hidden className="lines" data-painted="">
        {inView.map((link) => drawn(link, picked, onPick))}
      </svg>
    </ViewportPortal>
  );
});

/** The links to choose from are those of cells of this size. */
const cell = 600;

const drawn = ({ id, ends, gone }: Link, picked: Picked, onPick: (picked: Picked) => void) => {
  const d = pathThrough([...ends], "TB");
  return gone ? (
    <path key={id} className="line" data-gone="" d={d} />
  ) : (
    <Line key={id} id={id} d={d} picked={picked?.kind === "edge" && picked.id === id} onPick={onPick} />
  );
};

const Line = memo(function Line(props: { id: string; d: string; picked: boolean; onPick: (picked: Picked) => void }) {
  const { id, d, picked, onPick } = props;
  return (
    <g>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the panels of steps offer the same with the keyboard */}
      <path data-edge={id} className="line-hit" d={d} onClick={() => onPick({ kind: "edge", id })} />
      <path className="line" data-picked={picked ? "" : undefined} d={d} />
    </g>
  );
});
