import { describe, expect, it } from "vitest";
import { isNear, towards } from "./near";
import { type Picture, paint, type Role, roles, type Spot, wrap } from "./paint";

const colours = Object.fromEntries(roles.map((role) => [role, role])) as Record<Role, string>;

/** A context that notes what is drawn, with the colour of it. */
function notes() {
  const drawn: string[] = [];
  const state: Record<string, unknown> = { fillStyle: "", strokeStyle: "" };
  const does: Record<string, (...args: number[]) => void> = {
    fillRect: (x, y) => drawn.push(`box ${x},${y} ${state.fillStyle}`),
    fillText: (text, x, y) => drawn.push(`text ${text} ${x},${y}`),
    roundRect: (x, y) => drawn.push(`frame ${x},${y} ${state.strokeStyle} on ${state.fillStyle}`),
    lineTo: (x, y) => drawn.push(`line to ${x},${y}`),
    bezierCurveTo: (_a, _b, _c, _d, x, y) => drawn.push(`curve to ${x},${y}`),
    stroke: () => drawn.push(`stroked ${state.strokeStyle}`),
  };
  const measureText = (text: string) => ({ width: 17 * text.length });
  const ctx = new Proxy(state, {
    get: (_, name) =>
      name === "measureText" ? measureText : (does[String(name)] ?? state[String(name)] ?? (() => {})),
  });
  return { ctx: ctx as unknown as CanvasRenderingContext2D, drawn };
}

const spot = (id: string, x: number, y: number, more: Partial<Spot> = {}): Spot => ({
  ...{ id, x, y, width: 248, height: 84, gate: false, frame: "border-strong", dashed: false, title: id },
  ...more,
});
const link = (id: string, from: number, to: number, gone = false) => ({
  id,
  ends: [
    { x: 124, y: from },
    { x: 124, y: to },
  ] as const,
  gone,
});
const painted = (part: Partial<Picture>) => {
  const { ctx, drawn } = notes();
  paint(ctx, {
    ...{ spots: [], links: [], view: { x: 0, y: 0, zoom: 0.1 }, pane: { width: 800, height: 600 }, ratio: 2 },
    ...{ colours, font: "Geist", elements: new Set<string>() },
    ...part,
  });
  return drawn;
};

describe("a painting of a workflow", () => {
  it("has a box for each node in view that is no element, in the colour of its state", () => {
    const spots = [spot("a", 0, 0), spot("b", 300, 0, { frame: "bad-fill" }), spot("c", 0, 200), spot("d", 9000, 0)];
    expect(painted({ spots, elements: new Set(["c"]) })).toEqual(["box 0,0 border-strong", "box 300,0 bad-fill"]);
    // Moved and nearer, others are in view.
    const view = { x: -9000 * 0.15, y: 0, zoom: 0.15 };
    expect(painted({ spots, view })).toEqual(["box 9000,0 border-strong"]);
  });

  it("writes names where they can be read, in two lines at most", () => {
    const spots = [
      spot("a", 0, 0, { title: "Read the whole of a very long letter" }),
      spot("g", 0, 100, { gate: true, title: "" }),
    ];
    expect(painted({ spots, view: { x: 0, y: 0, zoom: 0.3 } })).toEqual([
      ...["frame 1.5,1.5 border-strong on surface", "stroked border-strong"],
      ...["frame 1.5,101.5 border-strong on warn-fill", "stroked border-strong"],
      ...["text Read the whole 124,23", "text of a very lon… 124,61"],
    ]);
  });

  it("draws connections in view, those that were removed and the selected one apart", () => {
    const links = [link("1", 84, 200), link("2", 284, 400, true), link("3", 9000, 9100), link("4", 500, 600)];
    expect(painted({ links, picked: "4" })).toEqual([
      ...["line to 124,200", "stroked border-strong"],
      ...["line to 124,400", "stroked bad-text"],
      ...["line to 124,600", "stroked accent"],
    ]);
    const near = painted({ links: [link("1", 84, 200)], view: { x: 0, y: 0, zoom: 0.5 } });
    expect(near).toEqual(["curve to 124,200", "stroked border-strong"]);
  });
});

it("a name is broken between words, within one that is too long, and cut at the end", () => {
  const fits = (text: string) => text.length <= 10;
  expect(wrap("", fits)).toEqual([]);
  expect(wrap("short", fits)).toEqual(["short"]);
  expect(wrap("two short words", fits)).toEqual(["two short", "words"]);
  expect(wrap("onewordthatislong", fits)).toEqual(["onewordtha", "tislong"]);
  expect(wrap("a name of more than two lines", fits)).toEqual(["a name of", "more than…"]);
});

describe("elements come and go", () => {
  const ids = (n: number, from = 0) => new Set(Array.from({ length: n }, (_, i) => `n${from + i}`));
  it("a few in each frame, until all are there", () => {
    const wanted = ids(40);
    let now: ReadonlySet<string> = ids(50, 100);
    let frames = 0;
    for (let next = towards(now, wanted); next !== now; next = towards(now, wanted)) {
      expect([...next].filter((id) => !now.has(id)).length).toBeLessThanOrEqual(6);
      now = next;
      frames++;
    }
    expect([...now].sort()).toEqual([...wanted].sort());
    expect(frames).toBe(7);
  });

  it("in the pane, and just beside it", () => {
    const pane = { width: 800, height: 600 };
    const at = (x: number, y: number, zoom = 1) => isNear({ x, y, width: 248, height: 84 }, { x: 0, y: 0, zoom }, pane);
    expect([at(0, 0), at(-280, 0), at(830, 0), at(0, -120), at(0, 630)]).toEqual([true, true, true, true, true]);
    expect([at(-290, 0), at(850, 0), at(0, -130), at(0, 650)]).toEqual([false, false, false, false]);
    expect(at(1500, 0, 0.5)).toBe(true);
  });
});
