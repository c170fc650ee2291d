import { expect, test } from "vitest";
import type { Event, Step } from "../api/types";
import { rawOf } from "../json";
import { hasPoints, layersOf } from "./layers";

const step = (id: string, layer: number) => ({ id, layer }) as Step;
let seq = 0;
const event = (type: string, data: unknown) =>
  ({ seq: ++seq, type, at: "2026-01-01T00:00:00Z", data: rawOf(data) }) as unknown as Event;

test("what was said and changed stands after the layer that had run", () => {
  const events = [
    event("layer.started", { layer: 0, steps: ["list"] }),
    event("consult.started", { n: 1, layer: 1, agent: "adviser" }),
    event("consult.retrying", { n: 1 }),
    event("consult.answered", {
      n: 1,
      advice: { action: "replan", requirement: "read XML", reasoning: "There is one." },
    }),
    event("plan.changed", { added: ["parse"], steps: [{ id: "parse" }, { id: "report" }], why: "replan: read XML" }),
    event("layer.started", { layer: 1, steps: ["parse"] }),
    event("consult.started", { n: 2, layer: 2, failed: "parse" }),
    event("consult.answered", { n: 2, advice: { action: "pause" }, fallback: true }),
  ];
  const [first, second, third] = layersOf({ steps: [step("list", 0), step("parse", 1), step("report", 2)] }, events);
  expect(first?.consultations).toMatchObject([
    { agent: "adviser", action: "replan", requirement: "read XML", reasoning: "There is one.", unusable: 1 },
  ]);
  expect(first?.changes).toMatchObject([{ added: ["parse"], why: "read XML", atPoint: false }]);
  expect(second?.consultations).toMatchObject([{ failed: "parse", action: "pause", fallback: true }]);
  expect(third?.steps.map(({ id }) => id)).toEqual(["report"]);
  expect(hasPoints(events)).toBe(true);
});

test("a run that nobody looked at has layers and no points", () => {
  const events = [event("layer.started", { layer: 0 })];
  expect(layersOf({ steps: [step("a", 0), step("b", 0)] }, events)).toMatchObject([
    { number: 0, consultations: [], changes: [] },
  ]);
  expect(hasPoints(events)).toBe(false);
});
