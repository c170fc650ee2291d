import { afterEach, expect, it } from "vitest";
import type { Approval } from "../api/types";
import { type Box, overlap, place } from "./place";
import { endTour, hadTour } from "./state";
import { stepsFor } from "./steps";

afterEach(() => localStorage.clear());

const card = { width: 320, height: 180 };

it("puts the card beside what it is about, clear of every answer", () => {
  const sizes = [
    { left: 0, top: 0, width: 1440, height: 900 },
    { left: 0, top: 0, width: 900, height: 420 },
  ];
  for (const window of sizes) {
    const bar = { left: window.width * 0.55, top: window.height - 60, width: window.width * 0.45, height: 60 };
    for (let left = 0; left < window.width; left += 90) {
      for (let top = 0; top < window.height; top += 60) {
        const at: Box = { left, top, width: 200, height: 60 };
        const spot = place(at, card, window, [bar], [bar]);
        if (!spot) throw new Error(`nowhere for ${left}, ${top}`);
        expect(overlap(spot, bar)).toBe(false);
        expect(overlap(spot, at)).toBe(false);
        expect(spot.left).toBeGreaterThanOrEqual(0);
        expect(spot.top).toBeGreaterThanOrEqual(0);
        expect(spot.left + spot.width).toBeLessThanOrEqual(window.width);
        expect(spot.top + spot.height).toBeLessThanOrEqual(window.height);
      }
    }
  }
});

it("leaves what is under decision in sight if there is room beside it", () => {
  const window = { left: 0, top: 0, width: 1440, height: 900 };
  const pane = { left: 880, top: 170, width: 560, height: 730 };
  for (const at of [
    { left: 208, top: 170, width: 672, height: 64 },
    { left: 900, top: 340, width: 520, height: 500 },
  ]) {
    const spot = place(at, card, window, [], [pane]);
    expect(spot && overlap(spot, pane)).toBe(false);
  }
});

it("has no place for the card where answers are everywhere", () => {
  const window = { left: 0, top: 0, width: 1000, height: 300 };
  expect(place({ left: 0, top: 0, width: 10, height: 10 }, card, window, [window])).toBeUndefined();
});

it("is over only for the person who completed it", () => {
  expect(hadTour("ann")).toBe(false);
  endTour("ann");
  endTour("ann");
  expect(localStorage.getItem("assent.tour")).toBe('["ann"]');
  expect(hadTour("ann")).toBe(true);
  expect(hadTour("bob")).toBe(false);
  localStorage.setItem("assent.tour", '["*"]');
  expect(hadTour("bob")).toBe(true);
  for (const broken of ["{", "7", '{"ann":true}']) {
    localStorage.setItem("assent.tour", broken);
    expect(hadTour("ann")).toBe(false);
  }
});

it("says what the last step asks for, and whether it can be undone", () => {
  const approval = (acts: string[], level: string) =>
    ({ acts, risk: { level, reasons: [] }, deadline_at: null }) as unknown as Approval;
  const last = (one: Approval | undefined) =>
    stepsFor({ approval: one, mayStop: true, pane: true, now: 0 }).at(-1)?.text;
  expect(last(approval(["approve", "reject"], "low"))).toMatch(
    /approve or reject it\. You then have 5 seconds to undo/,
  );
  expect(last(approval(["approve", "reject"], "critical"))).toMatch(
    /approve or reject it\. Your answer counts at once/,
  );
  expect(last(approval(["choose"], "low"))).toMatch(/choose an option/);
  expect(last(approval(["submit"], "low"))).toMatch(/fill in the form/);
  expect(last(undefined)).toMatch(/approve it/);
});

it("mentions the emergency stop only to those who may press it", () => {
  const texts = (mayStop: boolean) =>
    stepsFor({ approval: undefined, mayStop, pane: false, now: 0 })
      .map(({ title, text }) => title + text)
      .join();
  expect(texts(true)).toContain("emergency stop");
  expect(texts(false)).not.toContain("emergency stop");
});
