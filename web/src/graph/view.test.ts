import { describe, expect, it } from "vitest";
import { arrange, type Direction, directionFor } from "./layout";
import { planOf } from "./plan";
import { aRun, aStep } from "./testing";
import { boxesOf, showsAny, viewAround, viewOf, viewOfAll, viewResized, zoomMin } from "./view";

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
        const view = viewOf(boxes, pane, id);
        const box = boxes.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
        expect(view.zoom).toBeGreaterThanOrEqual(zoomMin);
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
    expect(viewOf(boxes, pane, "s0").x).toBe(viewAround({ x: -900, y: 0, width: 1, height: 1 }, boxes, pane, 1).x);
    expect(viewOf(boxes, pane)).toEqual(viewOf(boxes, pane, "s0"));
    expect(viewOf(boxes, pane, "gone")).toEqual(viewOf(boxes, pane, "s0"));
  });

  it("never shrinks below reading size", () => {
    expect(viewOfAll(chain(60, "LR"), { width: 700, height: 400 }).zoom).toBe(zoomMin);
    expect(viewOfAll(chain(2, "LR"), { width: 2000, height: 900 }).zoom).toBe(1);
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

  it("of nothing is a view all the same", () => {
    expect(Object.values(viewOf(new Map(), { width: 800, height: 400 })).every(Number.isFinite)).toBe(true);
  });
});
