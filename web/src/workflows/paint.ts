import type { Box, Size, View } from "../graph/view";
import type { Link } from "./Lines";

/** A colour of the theme. */
export type Role =
  | "border-strong"
  | "surface"
  | "text"
  | "muted"
  | "accent"
  | "accent-text"
  | "ok-text"
  | "warn-text"
  | "bad-text"
  | "info-text"
  | "warn-fill"
  | "bad-fill";

export const roles: readonly Role[] = [
  "border-strong",
  "surface",
  "text",
  "muted",
  "accent",
  "accent-text",
  "ok-text",
  "warn-text",
  "bad-text",
  "info-text",
  "warn-fill",
  "bad-fill",
];

/** A step or gate as seen from afar. */
export interface Spot extends Box {
  id: string;
  gate: boolean;
  frame: Role;
  dashed: boolean;
  /** Written in its box where it can be read. */
  title: string;
}

export interface Picture {
  spots: readonly Spot[];
  links: readonly Link[];
  /** The selected connection. */
  picked?: string;
  view: View;
  pane: Size;
  /** Device pixels per pixel. */
  ratio: number;
  colours: Record<Role, string>;
  font: string;
  /** Nodes that are elements of the page, so that they are not painted. */
  elements: { has: (id: string) => boolean };
}

/** Below this zoom, steps are boxes without a name. */
export const namedFrom = 0.2;
const fontSize = 34;
const lineHeight = 38;
const frameWidth = 3;
const linesMax = 2;

/** Draws what is in view. What it takes depends on that alone, not on the page: nothing is laid out or styled. */
export function paint(ctx: CanvasRenderingContext2D, picture: Picture): void {
  const { spots, links, view, pane, ratio, elements } = picture;
  const { x, y, zoom } = view;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, pane.width * ratio, pane.height * ratio);
  ctx.setTransform(ratio * zoom, 0, 0, ratio * zoom, ratio * x, ratio * y);
  const left = -x / zoom;
  const top = -y / zoom;
  const right = left + pane.width / zoom;
  const bottom = top + pane.height / zoom;
  paintLinks(
    ctx,
    links.filter(
      ({ ends: [a, b] }) =>
        Math.min(a.x, b.x) < right &&
        Math.max(a.x, b.x) > left &&
        Math.min(a.y, b.y) < bottom &&
        Math.max(a.y, b.y) > top,
    ),
    picture,
  );
  paintSpots(
    ctx,
    spots.filter(
      (s) => s.x < right && s.x + s.width > left && s.y < bottom && s.y + s.height > top && !elements.has(s.id),
    ),
    picture,
  );
}

function paintLinks(ctx: CanvasRenderingContext2D, links: readonly Link[], { view, picked, colours }: Picture): void {
  const { zoom } = view;
  // A thin line stays visible from afar, and no line is wider than it is near.
  const width = Math.max(Math.min(4 * zoom, 1), 1.5 * zoom) / zoom;
  const stroke = (which: readonly Link[], role: Role, wide: number, dash: number[]) => {
    if (which.length === 0) return;
    ctx.beginPath();
    for (const { ends } of which) {
      const [a, b] = ends;
      ctx.moveTo(a.x, a.y);
      const middle = (a.y + b.y) / 2;
      if (zoom < namedFrom) ctx.lineTo(b.x, b.y);
      else ctx.bezierCurveTo(a.x, middle, b.x, middle, b.x, b.y);
    }
    ctx.strokeStyle = colours[role];
    ctx.lineWidth = wide;
    ctx.setLineDash(dash);
    ctx.stroke();
  };
  stroke(
    links.filter((l) => !l.gone && l.id !== picked),
    "border-strong",
    width,
    [],
  );
  stroke(
    links.filter((l) => l.gone),
    "bad-text",
    width,
    [6 / zoom, 4 / zoom],
  );
  stroke(
    links.filter((l) => l.id === picked),
    "accent",
    Math.max(2.5, 1.5 / zoom),
    [],
  );
  ctx.setLineDash([]);
}

function paintSpots(ctx: CanvasRenderingContext2D, spots: readonly Spot[], picture: Picture): void {
  const { view, colours, font } = picture;
  if (view.zoom < namedFrom) {
    for (const [frame, some] of byFrame(spots)) {
      ctx.fillStyle = colours[frame];
      for (const { x, y, width, height } of some) ctx.fillRect(x, y, width, height);
    }
    return;
  }
  ctx.lineWidth = frameWidth;
  for (const [frame, some] of byFrame(spots)) {
    ctx.strokeStyle = colours[frame];
    for (const spot of some) {
      const { x, y, width, height, gate, dashed } = spot;
      ctx.fillStyle = gate ? colours["warn-fill"] : colours.surface;
      ctx.beginPath();
      ctx.roundRect(x + frameWidth / 2, y + frameWidth / 2, width - frameWidth, height - frameWidth, gate ? 26 : 12);
      ctx.fill();
      ctx.setLineDash(dashed ? [10, 6] : []);
      ctx.stroke();
    }
  }
  ctx.setLineDash([]);
  ctx.fillStyle = colours.text;
  ctx.font = `${fontSize}px ${font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  for (const { x, y, width, height, title } of spots) {
    const lines = linesOf(ctx, title, width - 2 * frameWidth);
    const first = y + height / 2 - ((lines.length - 1) * lineHeight) / 2;
    for (const [i, line] of lines.entries()) ctx.fillText(line, x + width / 2, first + i * lineHeight);
  }
}

function byFrame(spots: readonly Spot[]): Map<Role, Spot[]> {
  const groups = new Map<Role, Spot[]>();
  for (const spot of spots) {
    const group = groups.get(spot.frame);
    if (group) group.push(spot);
    else groups.set(spot.frame, [spot]);
  }
  return groups;
}

const wrappedMax = 5000;
const wrapped = new Map<string, string[]>();

function linesOf(ctx: CanvasRenderingContext2D, title: string, width: number): string[] {
  const key = `${ctx.font} ${width} ${title}`;
  let lines = wrapped.get(key);
  if (!lines) {
    lines = wrap(title, (text) => ctx.measureText(text).width <= width);
    if (wrapped.size >= wrappedMax) wrapped.clear();
    wrapped.set(key, lines);
  }
  return lines;
}

/** A text in at most two lines, broken between words where that is possible, and cut if it is longer. */
export function wrap(text: string, fits: (text: string) => boolean): string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    if (fits(rest)) return [...lines, rest];
    const last = lines.length === linesMax - 1;
    let length = rest.length - 1;
    while (length > 1 && !fits(rest.slice(0, length) + (last ? "…" : ""))) length--;
    if (last) return [...lines, `${rest.slice(0, length).trimEnd()}…`];
    const space = rest.lastIndexOf(" ", length);
    const end = space > 0 ? space : length;
    lines.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return lines;
}
