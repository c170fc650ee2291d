import { expect, test } from "vitest";
import { raw } from "../json";
import { layersOf } from "./layers";

test("steps stand in the layer after everything that they need", () => {
  const steps = [
    { id: "a" },
    { id: "b", needs: [] },
    { id: "c", needs: ["a", "b"] },
    { id: "d" },
    { id: "e", needs: ["b"] },
  ];
  expect(layersOf(raw(JSON.stringify({ steps }))).map((layer) => layer.map((s) => s.id))).toEqual([
    ["a", "b"],
    ["c", "e"],
    ["d"],
  ]);
});

test("without a plan there is nothing to draw", () => {
  expect(layersOf(null)).toEqual([]);
});
