import { describe, expect, it } from "vitest";
import { arrange, type Direction, directionFor } from "./layout";
import { frameOf, measure } from "./Overview";
import { planOf } from "./plan";
import { aRun, aStep } from "./testing";
import {
  type Box,
  boxesOf,
  detailAt,
  directionIn,
  extentOf,
  gathered,
  shows,
  showsAny,
  viewAround,
  viewOf,
  viewOfAll,
  viewResized,
  zoomMinOf,
  zoomNames,
} from "./view";

const chain = (n: number, direction: Direction) => {
  const plan = planOf(aRun(Array.from({ length: n }, (_, i) => aStep(`s${i}`, { needs: i ? [`s${i - 1}`] : [] }))));
  return boxesOf(plan.nodes, arrange(plan, direction).places);
};
const panes = [
  [662, 418],
  [761, 484],
  [416, 486],
  [240, 120],
  [2400, 720],
].map(([width = 0, height = 0]) => ({ width, height }));

describe("the view", () => {
  it.each(panes)("shows all that can be read in $width × $height, else the step it is about", (pane) => {
    for (const n of [1, 2, 5, 40]) {
      const boxes = chain(n, directionFor(pane.width, pane.height));
      for (const id of boxes.keys()) {
        const view = viewOf(boxes, pane, [id]);
        const box = boxes.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
        expect(view.zoom).toBeGreaterThanOrEqual(zoomNames);
        // Its middle is in the pane.
        const x = view.x + (box.x + box.width / 2) * view.zoom;
        const y = view.y + (box.y + box.height / 2) * view.zoom;
        expect(x > 0 && x < pane.width && y > 0 && y < pane.height, `${id} of ${n} at ${x}, ${y}`).toBe(true);
      }
    }
  });

  it("does not show what lies beyond the graph when a step at its end is in the middle", () => {
    const boxes = chain(9, "LR");
    const pane = { width: 800, height: 400 };
    expect(viewOf(boxes, pane, ["s0"]).x).toBe(viewAround({ x: -900, y: 0, width: 1, height: 1 }, boxes, pane, 1).x);
    expect(viewOf(boxes, pane)).toEqual(viewOf(boxes, pane, ["s0"]));
    expect(viewOf(boxes, pane, ["gone"])).toEqual(viewOf(boxes, pane, ["s0"]));
  });

  it("of everything shows everything, and can always be reached by hand", () => {
    for (const n of [2, 5, 26, 500]) {
      const boxes = chain(n, "LR");
      const pane = { width: 700, height: 400 };
      const view = viewOfAll(boxes, pane);
      expect([...boxes.values()].every((box) => shows(view, box, pane))).toBe(true);
      expect(zoomMinOf(boxes, pane)).toBeLessThanOrEqual(view.zoom);
    }
    expect(viewOfAll(chain(2, "LR"), { width: 2000, height: 900 }).zoom).toBe(1);
  });

  it("opens with the whole plan while its names can be read", () => {
    const pane = { width: 761, height: 484 };
    const whole = (n: number) => {
      const boxes = chain(n, "LR");
      const view = viewOf(boxes, pane, ["s0"]);
      return [detailAt(view.zoom), [...boxes.values()].every((box) => shows(view, box, pane))];
    };
    expect(whole(2)).toEqual(["cards", true]);
    expect(whole(5)).toEqual(["names", true]);
    expect(whole(26)).toEqual(["cards", false]);
  });

  it("cannot be moved away from the graph", () => {
    const boxes = chain(5, "LR");
    const [[left, top], [right, bottom]] = extentOf(boxes);
    for (const { x, y, width, height } of boxes.values()) {
      expect(left < x && top < y && right > x + width && bottom > y + height).toBe(true);
    }
    expect(right - left).toBeLessThan(5 * 248 + 2000);
  });

  it("keeps its middle in a pane of another size, and knows when nothing is left in it", () => {
    const boxes = chain(3, "LR");
    const wide = { width: 1200, height: 400 };
    const view = viewOf(boxes, wide);
    expect(showsAny(view, boxes, wide)).toBe(true);
    const narrow = { width: 400, height: 400 };
    const kept = viewResized(view, wide, narrow);
    expect((200 - kept.x) / kept.zoom).toBeCloseTo((600 - view.x) / view.zoom);
    expect(showsAny({ ...view, x: -5000 }, boxes, wide)).toBe(false);
    expect(showsAny({ ...view, y: 380 }, boxes, wide)).toBe(false);
  });

  it("shows everything from left to right or from top to bottom, whichever fits", () => {
    const turn = (n: number, width: number, height: number) => {
      const plan = planOf(aRun(Array.from({ length: n }, (_, i) => aStep(`s${i}`, { needs: i ? [`s${i - 1}`] : [] }))));
      const layoutOf = (direction: Direction) => arrange(plan, direction);
      const direction = directionIn({ width, height }, plan.nodes, layoutOf);
      const boxes = boxesOf(plan.nodes, layoutOf(direction).places);
      const view = viewOf(boxes, { width, height });
      return [direction, [...boxes.values()].every((box) => shows(view, box, { width, height }))];
    };
    expect(turn(3, 761, 484)).toEqual(["LR", true]); // the run page in a window of 1440
    expect(turn(3, 662, 418)).toEqual(["TB", true]); // and of 768
    expect(turn(4, 761, 484)).toEqual(["TB", true]);
    expect(turn(9, 761, 484)).toEqual(["LR", false]);
    expect(turn(3, 300, 484)).toEqual(["TB", true]);
    expect(turn(60, 761, 484)[0]).toBe("LR");
  });

  it("a question and its step are in the middle together, as far as they fit", () => {
    const boxes = chain(9, "LR");
    const pane = { width: 800, height: 400 };
    const both = gathered(["s4", "s5", "s8"], boxes, pane, 1);
    expect([both.x, both.x + both.width]).toEqual([boxes.get("s4")?.x, (boxes.get("s5")?.x ?? 0) + 248]);
    const view = viewOf(boxes, pane, ["s4", "s5", "s8"]);
    for (const id of ["s4", "s5"]) expect(shows(view, boxes.get(id) as Box, pane), id).toBe(true);
    expect(shows(view, boxes.get("s8") as Box, pane)).toBe(false);
  });

  it("of nothing is a view all the same", () => {
    expect(Object.values(viewOf(new Map(), { width: 800, height: 400 })).every(Number.isFinite)).toBe(true);
  });
});

describe("the map of all steps", () => {
  it("is tall enough to be seen for a chain of hundreds, and has the frame where the view is", () => {
    const boxes = chain(200, "LR");
    const pane = { width: 761, height: 484 };
    const { all, size, scale } = measure(boxes);
    expect(size).toEqual({ width: 176, height: 24 });
    expect(84 * scale.y).toBeGreaterThan(4);
    const frames = ["s0", "s100", "s199"].map((id) => frameOf(viewOf(boxes, pane, [id]), pane, all, size, scale));
    for (const { x, y, width, height } of frames) {
      expect(width).toBeGreaterThanOrEqual(8);
      expect(x >= 0 && y >= 0 && x + width <= 176 && y + height <= 24).toBe(true);
    }
    expect(frames.map((frame) => Math.round(frame.x))).toEqual([0, 84, 168]);
  });
});
