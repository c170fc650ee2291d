import { type Direction, type Place, sizes } from "./layout";
import type { PlanNode } from "./plan";

/** What the pane shows: where the graph's origin stands in it, and how large. */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Place, Size {}

// 14 px at 0.86 is 12 px: below that nobody reads, so the view moves instead of shrinking.
export const zoomMin = 0.86;
export const zoomMax = 1.6;
const margin = 24;

/** The box of each node. */
export function boxesOf(nodes: PlanNode[], places: Map<string, Place>): Map<string, Box> {
  return new Map(
    nodes.flatMap((node) => {
      const place = places.get(node.id);
      return place ? [[node.id, { ...place, ...sizes[node.kind] }] as const] : [];
    }),
  );
}

/** Everything, if it can be read; else the graph around one node, or around the first. */
export function viewOf(boxes: Map<string, Box>, pane: Size, around?: string): View {
  const all = bounds(boxes);
  const zoom = Math.min(1, (pane.width - 2 * margin) / all.width, (pane.height - 2 * margin) / all.height);
  if (zoom >= zoomMin) return centredOn(middle(all), zoom, pane);
  const box = (around === undefined ? undefined : boxes.get(around)) ?? boxes.values().next().value;
  return box ? viewAround(box, boxes, pane, 1) : { x: 0, y: 0, zoom: 1 };
}

/** Everything, as small as can be read. */
export function viewOfAll(boxes: Map<string, Box>, pane: Size): View {
  const all = bounds(boxes);
  const zoom = Math.min(1, (pane.width - 2 * margin) / all.width, (pane.height - 2 * margin) / all.height);
  return centredOn(middle(all), Math.max(zoom, zoomMin), pane);
}

/** A node in the middle, as far as that shows nothing beyond the graph. */
export function viewAround(box: Box, boxes: Map<string, Box>, pane: Size, zoom: number): View {
  const all = bounds(boxes);
  const at = middle(box);
  const x = within(at.x, all.x, all.width, pane.width / zoom);
  const y = within(at.y, all.y, all.height, pane.height / zoom);
  return centredOn({ x, y }, zoom, pane);
}

/** The same middle in a pane of another size. */
export function viewResized(view: View, from: Size, to: Size): View {
  return { ...view, x: view.x + (to.width - from.width) / 2, y: view.y + (to.height - from.height) / 2 };
}

/** Whether any node is in the pane, by more than its edge. */
export function showsAny(view: View, boxes: Map<string, Box>, pane: Size): boolean {
  const inside = (at: number, length: number, size: number) => at + length > margin && at < size - margin;
  return [...boxes.values()].some(
    (b) =>
      inside(view.x + b.x * view.zoom, b.width * view.zoom, pane.width) &&
      inside(view.y + b.y * view.zoom, b.height * view.zoom, pane.height),
  );
}

/** Where edges leave and arrive: known, so that nothing has to be drawn to find out. */
export function handlesOf({ width, height }: Size, direction: Direction) {
  const ends =
    direction === "LR"
      ? ([
          { type: "target", position: "left", x: 0, y: height / 2 },
          { type: "source", position: "right", x: width, y: height / 2 },
        ] as const)
      : ([
          { type: "target", position: "top", x: width / 2, y: 0 },
          { type: "source", position: "bottom", x: width / 2, y: height },
        ] as const);
  return ends.map((end) => ({ ...end, width: 0, height: 0 }));
}

function bounds(boxes: Map<string, Box>): Box {
  const list = [...boxes.values()];
  if (list.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  const x = Math.min(...list.map((b) => b.x));
  const y = Math.min(...list.map((b) => b.y));
  const right = Math.max(...list.map((b) => b.x + b.width));
  const bottom = Math.max(...list.map((b) => b.y + b.height));
  return { x, y, width: right - x, height: bottom - y };
}

function middle(box: Box): Place {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

function centredOn(at: Place, zoom: number, pane: Size): View {
  return { x: pane.width / 2 - at.x * zoom, y: pane.height / 2 - at.y * zoom, zoom };
}

/** The middle of the view nearest to a point that shows nothing beyond the graph; a graph that fits is centred. */
function within(at: number, from: number, length: number, view: number): number {
  if (length + 2 * margin <= view) return from + length / 2;
  return Math.min(Math.max(at, from - margin + view / 2), from + length + margin - view / 2);
}
