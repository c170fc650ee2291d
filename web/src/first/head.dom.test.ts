import { beforeEach, describe, expect, it } from "vitest";
import { drawHead } from "./head";

const approval = {
  title: "Pay the refund?",
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

  it("is left to the program where something has to be marked, or went wrong", () => {
    drawHead(JSON.stringify({ ...approval, title: "Pay \u202e0001" }), place());
    drawHead(JSON.stringify({ title: "There is no such approval", status: 404 }), place());
    expect(place().textContent).toBe("…");
    expect(() => drawHead("<html>", place())).toThrow();
  });
});
