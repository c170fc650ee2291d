import { beforeEach, describe, expect, it } from "vitest";
import { drawHead } from "./head";

const approval = {
  title: "Pay the refund?",
  kind: "approval",
  run: "run_1",
  action: { type: "step" },
  agent: "payer",
  step: "pay",
  workflow: "refund",
};
const place = () => document.querySelector<HTMLElement>("[data-first-head]") ?? document.body;

beforeEach(() => {
  document.body.innerHTML = '<div data-first-head="">…</div>';
});

describe("the head of an approval", () => {
  it("says who asks for what", () => {
    drawHead(JSON.stringify(approval), place());
    expect(place().querySelector("h1")?.textContent).toBe("Pay the refund?");
    expect(place().querySelector("p")?.textContent).toBe("Payer wants to run the step Pay, in a run of Refund");
  });

  it("leads to the run and the files to decide on", () => {
    const run = "/api/v1/runs/run_1";
    const files = "/api/v1/deliverables?run=run_1&status=draft&limit=100";
    const at = (part: object) => drawHead(JSON.stringify({ ...approval, ...part }), place());
    expect(at({})).toEqual([run, files]);
    expect(at({ title: "Pay \u202e0001" })).toEqual([run, files]);
    expect(at({ action: { type: "limit" } })).toEqual([run]);
    expect(at({ kind: "choice" })).toEqual([run]);
    expect(at({ action: undefined, status: 404 })).toEqual([]);
  });

  it("is left to the program where something has to be marked, or went wrong", () => {
    drawHead(JSON.stringify({ ...approval, title: "Pay \u202e0001" }), place());
    drawHead(JSON.stringify({ title: "There is no such approval", status: 404 }), place());
    expect(place().textContent).toBe("…");
    expect(() => drawHead("<html>", place())).toThrow();
  });
});
