import { type Direction, directionFor, type Layout, type Place, sizeOf } from "./layout";
import type { PlanNode } from "./plan";

/** The viewport: the position of the graph's origin in it, and the zoom. */
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

// 14 px at 0.86 is 12 px: cards are unreadable below that. Below it only names are shown, at twice the size; where
// those are too small as well, dots in the colour of the step's status.
export const zoomRead = 0.86;
export const zoomNames = 0.45;
export const zoomMax = 1.6;
const margin = 24;

/** How much of a step is drawn at a zoom level. */
export type Detail = "cards" | "names" | "dots";

export function detailAt(zoom: number): Detail {
  // Views are computed, so allow for rounding.
  if (zoom >= zoomRead - 0.001) return "cards";
  return zoom >= zoomNames - 0.001 ? "names" : "dots";
}

/** The minimum zoom: at which the whole graph fits into the pane. */
export function zoomMinOf(boxes: Map<string, Box>, pane: Size): number {
  return Math.min(zoomNames, zoomOfAll(boxes, pane));
}

/** How far the view can be moved: the graph never leaves it. */
export function extentOf(boxes: Map<string, Box>): [[number, number], [number, number]] {
  const all = bounds(boxes);
  const room = 10 * margin;
  return [
    [all.x - room, all.y - room],
    [all.x + all.width + room, all.y + all.height + room],
  ];
}

/** The box of each node. */
export function boxesOf(nodes: PlanNode[], places: Map<string, Place>): Map<string, Box> {
  return new Map(
    nodes.flatMap((node) => {
      const place = places.get(node.id);
      return place ? [[node.id, { ...place, ...sizeOf(node) }] as const] : [];
    }),
  );
}

const turnMax = 40;

/** The direction that suits the pane; the other one if only that shows everything at the same level of detail. */
export function directionIn(pane: Size, nodes: PlanNode[], layoutOf: (direction: Direction) => Layout): Direction {
  const wanted = directionFor(pane.width, pane.height);
  if (nodes.length > turnMax) return wanted; // fits in neither direction
  const other = wanted === "LR" ? "TB" : "LR";
  const details: Detail[] = ["dots", "names", "cards"];
  const detail = (direction: Direction) =>
    details.indexOf(detailAt(zoomOfAll(boxesOf(nodes, layoutOf(direction).places), pane)));
  return detail(other) > detail(wanted) ? other : wanted;
}

function zoomOfAll(boxes: Map<string, Box>, pane: Size): number {
  const all = bounds(boxes);
  return Math.min(1, (pane.width - 2 * margin) / all.width, (pane.height - 2 * margin) / all.height);
}

/** Everything, if at least the names are readable; else the graph around some nodes, or around the first. */
export function viewOf(boxes: Map<string, Box>, pane: Size, around: string[] = []): View {
  if (detailAt(zoomOfAll(boxes, pane)) !== "dots") return viewOfAll(boxes, pane);
  return viewAround(gathered(around, boxes, pane, 1), boxes, pane, 1);
}

/** Everything, at whatever zoom. */
export function viewOfAll(boxes: Map<string, Box>, pane: Size): View {
  return centredOn(middle(bounds(boxes)), zoomOfAll(boxes, pane), pane);
}

/**
 * A box around the first of some nodes and as many of the others as fit into the pane with it; around the graph's first
 * node if there are none.
 */
export function gathered(ids: string[], boxes: Map<string, Box>, pane: Size, zoom: number): Box {
  const found = ids.flatMap((id) => boxes.get(id) ?? []);
  const [first = boxes.values().next().value ?? nothing, ...others] = found;
  return others.reduce((so, box) => {
    const both = bounds(new Map([so, box].map((b, i) => [String(i), b])));
    const fits = both.width * zoom <= pane.width - 2 * margin && both.height * zoom <= pane.height - 2 * margin;
    return fits ? both : so;
  }, first);
}

/** Whether a box is entirely in the pane. */
export function shows(view: View, box: Box, pane: Size): boolean {
  const x = view.x + box.x * view.zoom;
  const y = view.y + box.y * view.zoom;
  return x >= 0 && y >= 0 && x + box.width * view.zoom <= pane.width && y + box.height * view.zoom <= pane.height;
}

/** Centres a node, as far as possible without showing anything beyond the graph. */
export function viewAround(box: Box, boxes: Map<string, Box>, pane: Size, zoom: number): View {
  const all = bounds(boxes);
  const at = middle(box);
  const x = within(at.x, all.x, all.width, pane.width / zoom);
  const y = within(at.y, all.y, all.height, pane.height / zoom);
  return centredOn({ x, y }, zoom, pane);
}

/** The same centre in a pane of another size. */
export function viewResized(view: View, from: Size, to: Size): View {
  return { ...view, x: view.x + (to.width - from.width) / 2, y: view.y + (to.height - from.height) / 2 };
}

/** Whether any node is in the pane by more than its edge. */
export function showsAny(view: View, boxes: Map<string, Box>, pane: Size): boolean {
  const inside = (at: number, length: number, size: number) => at + length > margin && at < size - margin;
  return [...boxes.values()].some(
    (b) =>
      inside(view.x + b.x * view.zoom, b.width * view.zoom, pane.width) &&
      inside(view.y + b.y * view.zoom, b.height * view.zoom, pane.height),
  );
}

const nothing: Box = { x: 0, y: 0, width: 0, height: 0 };

/** The bounding box of all boxes. */
export function bounds(boxes: Map<string, Box>): Box {
  const list = [...boxes.values()];
  if (list.length === 0) return nothing;
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

/** The view centre nearest to a point that shows nothing beyond the graph; a graph that fits is centred. */
function within(at: number, from: number, length: number, view: number): number {
  if (length + 2 * margin <= view) return from + length / 2;
  return Math.min(Math.max(at, from - margin + view / 2), from + length + margin - view / 2);
}
