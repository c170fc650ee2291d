import { describe, expect, it } from "vitest";
import { marks, mostlyIdle, scaleOf, spansOf } from "./spans";
import { aDoneStep, anApproval, anEvent, aRun, aStep, at, start } from "./testing";

const s = (n: number) => start + n * 1000;
const settled = (to: number) => ({
  status: "approved" as const,
  outcome: { at: at(to), status: "approved" as const, act: "approve" as const, by: "bob" },
});

describe("the timeline", () => {
  it("tries are segments, with what went wrong", () => {
    const run = aRun([aDoneStep("pay", 1, 9, { try: 2 })], { ended_at: at(10) });
    const events = [
      anEvent(1, "step.started", { step: "pay", try: 1 }, 1),
      anEvent(2, "step.retrying", { step: "pay", error: { message: "timed out" } }, 3),
      anEvent(3, "step.started", { step: "pay", try: 2 }, 5),
      anEvent(4, "step.completed", { step: "pay" }, 9),
    ];
    const { rows, to } = spansOf(run, [], events, s(99));
    expect(to).toBe(s(10));
    expect(rows[0]?.spans.map(({ from, to: end, end: how }) => [from, end, how])).toEqual([
      [s(1), s(3), "failed"],
      [s(5), s(9), "done"],
    ]);
    expect(rows[0]?.spans[0]?.title).toContain("timed out");
  });

  it("waits say who was waited for; those for the same people that overlap are one", () => {
    const run = aRun([aDoneStep("check", 0, 20)], { ended_at: at(20) });
    const approvals = [
      anApproval({ id: "1", requested_at: at(2), ...settled(6) }),
      anApproval({ id: "2", requested_at: at(4), ...settled(9) }),
      anApproval({ id: "3", requested_at: at(4), role: "cfo", ...settled(5) }),
      anApproval({ id: "4", requested_at: at(1), status: "auto_approved" }),
    ];
    const waits = spansOf(run, approvals, undefined, s(20)).rows[0]?.spans.filter((x) => x.kind === "wait");
    expect(waits?.map((w) => [w.from, w.to, w.who])).toEqual([
      [s(2), s(9), "Tax team"],
      [s(4), s(5), "Cfo"],
    ]);
  });

  it("an open wait goes on until now, one without a step has a row of its own, people's steps have no work", () => {
    const run = aRun([aStep("sign", { kind: "human", status: "waiting", started_at: at(3) })]);
    const { rows } = spansOf(
      run,
      [anApproval({ step: "", title: "Start?" }), anApproval({ id: "2", step: "sign" })],
      undefined,
      s(30),
    );
    expect(rows.map((r) => r.label).sort()).toEqual(["Sign", "Start?"]);
    for (const row of rows) expect(row.spans.map((x) => [x.kind, x.to])).toEqual([["wait", s(30)]]);
  });

  it("entries of a list overlap, so a list is one bar", () => {
    const run = aRun([aDoneStep("each", 0, 8, { elements: { done: 2, running: 0, total: 2 } })], { ended_at: at(8) });
    const events = [
      anEvent(1, "step.started", { step: "each", index: 0, try: 1 }, 0),
      anEvent(2, "step.started", { step: "each", index: 1, try: 1 }, 4),
    ];
    expect(spansOf(run, [], events, s(8)).rows[0]?.spans).toHaveLength(1);
  });
});

describe("the scale", () => {
  const run = aRun([aDoneStep("a", 0, 10), aDoneStep("b", 990, 1000)], { ended_at: at(1000) });
  const spans = spansOf(run, [], undefined, s(1000));

  it("is even, or shortens times in which nobody worked", () => {
    expect(mostlyIdle(spans)).toBe(true);
    expect(scaleOf(spans, false).place(s(10))).toBeCloseTo(0.01);
    const short = scaleOf(spans, true);
    expect(short.place(s(0))).toBe(0);
    expect(short.place(s(10))).toBeCloseTo(10 / 24); // 10 s of work, 4 s for the wait, 10 s of work
    expect(short.place(s(990))).toBeCloseTo(14 / 24);
    expect(short.place(s(1000))).toBe(1);
    let last = -1;
    for (let n = 0; n <= 1000; n += 5) {
      const here = short.place(s(n));
      expect(here).toBeGreaterThanOrEqual(last);
      last = here;
    }
  });

  it("is not shortened where work fills the time", () => {
    expect(mostlyIdle(spansOf(aRun([aDoneStep("a", 0, 10)], { ended_at: at(10) }), [], undefined, s(10)))).toBe(false);
  });

  it("the ruler has round times, not too close", () => {
    const text = marks(spans, scaleOf(spans, false), 900).map((m) => m.label.replaceAll("\u00a0", " "));
    expect(text).toEqual(["0", "2 min", "4 min", "6 min", "8 min", "10 min", "12 min", "14 min", "16 min"]);
    expect(marks(spans, scaleOf(spans, true), 900).length).toBeLessThanOrEqual(10);
  });
});
