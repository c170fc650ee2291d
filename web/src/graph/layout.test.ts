import { describe, expect, it } from "vitest";
import { arrange, directionFor, neighbour, pathThrough, signature, sizeOf } from "./layout";
import { type Plan, planOf } from "./plan";
import { aDoneStep, aRun, aStep } from "./testing";

const chain = (n: number): Plan =>
  planOf(
    aRun(
      Array.from({ length: n }, (_, i) =>
        aStep(`s${i}`, { needs: i === 0 ? [] : [`s${i - 1}`, ...(i > 2 ? ["s0"] : [])] }),
      ),
    ),
  );

describe("layout", () => {
  it("follows the shape of the pane", () => {
    expect(directionFor(1000, 400)).toBe("LR");
    expect(directionFor(400, 800)).toBe("TB");
    expect(directionFor(500, 500)).toBe("TB");
  });

  it.each(["LR", "TB"] as const)("%s: no two steps overlap, and no edge runs through a step", (direction) => {
    const plan = chain(8);
    const { places, bends } = arrange(plan, direction);
    const boxes = plan.nodes.map((n) => ({ id: n.id, ...(places.get(n.id) ?? { x: 0, y: 0 }), ...sizeOf(n) }));
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        expect(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(
          true,
        );
    for (const edge of plan.edges)
      for (const p of bends.get(edge.id) ?? [])
        for (const b of boxes)
          expect(
            p.x > b.x && p.x < b.x + b.width && p.y > b.y && p.y < b.y + b.height,
            `${edge.id} through ${b.id}`,
          ).toBe(false);
    expect([...bends.values()].some((list) => list.length > 0)).toBe(true);
  });

  it.each(["LR", "TB"] as const)("%s: what works at the same time stands in the order of the plan", (direction) => {
    for (const n of [2, 5, 30]) {
      const names = Array.from({ length: n }, (_, i) => `b${i}`);
      const steps = [
        aStep("start"),
        ...names.map((id) => aStep(id, { needs: ["start"] })),
        aStep("join", { needs: names }),
      ];
      const { places } = arrange(planOf(aRun(steps)), direction);
      const across = direction === "LR" ? "y" : "x";
      const drawn = [...names].sort((a, b) => (places.get(a)?.[across] ?? 0) - (places.get(b)?.[across] ?? 0));
      expect(drawn).toEqual(names);
    }
  });

  it("three hundred steps are arranged in time", () => {
    const steps = Array.from({ length: 300 }, (_, i) =>
      aStep(`s${i}`, { needs: i < 5 ? [] : [`s${i - 1 - (i % 5)}`, `s${Math.floor(i / 2)}`] }),
    );
    const begin = performance.now();
    expect(arrange(planOf(aRun(steps)), "LR").places.size).toBe(300);
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  it("many steps stand apart, each behind what it needs", () => {
    const plan = chain(60);
    for (const direction of ["LR", "TB"] as const) {
      const { places } = arrange(plan, direction);
      expect(new Set([...places.values()].map((p) => `${p.x} ${p.y}`)).size).toBe(60);
      const along = direction === "LR" ? "x" : "y";
      for (const { from, to } of plan.edges)
        expect(places.get(to)?.[along]).toBeGreaterThan(places.get(from)?.[along] ?? 0);
    }
  });

  it("changes with the plan and not with statuses", () => {
    const before = signature(planOf(aRun([aStep("a"), aStep("b", { needs: ["a"] })])));
    expect(signature(planOf(aRun([aDoneStep("a", 0, 1), aStep("b", { needs: ["a"], status: "running" })])))).toBe(
      before,
    );
    expect(signature(planOf(aRun([aStep("a"), aStep("b")])))).not.toBe(before);
  });
});

describe("arrow keys", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 300, y: -60 }],
    ["c", { x: 300, y: 60 }],
    ["d", { x: 600, y: 0 }],
  ]);
  it.each([
    [undefined, "ArrowRight", "a"],
    ["a", "ArrowRight", "b"],
    ["b", "ArrowDown", "c"],
    ["c", "ArrowUp", "b"],
    ["d", "ArrowLeft", "b"],
    ["d", "ArrowRight", undefined],
  ] as const)("from %s with %s", (from, key, want) => expect(neighbour(from, key, places)).toBe(want));
});

it("a path begins, bends and ends where it should", () => {
  const points = [
    { x: 0, y: 0 },
    { x: 10, y: 5 },
    { x: 20, y: 5 },
  ];
  expect(pathThrough(points, "LR")).toBe("M0,0C5,0 5,5 10,5C15,5 15,5 20,5");
  expect(pathThrough([], "TB")).toBe("");
});
