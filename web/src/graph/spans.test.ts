import { describe, expect, it } from "vitest";
import { marks, mostlyIdle, scaleOf, spansOf } from "./spans";
import { barOf } from "./Timeline";
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

  it("work is what is left without the waits", () => {
    const check = aDoneStep("check", 0, 10);
    const waits = [
      anApproval({ id: "1", requested_at: at(2), ...settled(5) }),
      anApproval({ id: "2", requested_at: at(6), ...settled(9) }),
    ];
    const work = spansOf(aRun([check], { ended_at: at(10) }), waits, undefined, s(10)).rows[0]?.spans.filter(
      (x) => x.kind === "work",
    );
    expect(work?.map(({ from, to, end }) => [from, to, end])).toEqual([
      [s(0), s(2), "done"],
      [s(5), s(6), "done"],
      [s(9), s(10), "done"],
    ]);
    expect(work?.[0]?.title.replaceAll("\u00a0", " ")).toContain("4 s of work");
    const only = spansOf(
      aRun([aStep("check", { status: "running", started_at: at(2) })]),
      [anApproval({ requested_at: at(2) })],
      undefined,
      s(10),
    );
    expect(only.rows[0]?.spans.map((x) => x.kind)).toEqual(["wait"]);
    const before = aStep("check", { status: "running", started_at: at(0) });
    const going = spansOf(aRun([before]), [anApproval({ requested_at: at(2) })], undefined, s(10)).rows[0]?.spans;
    expect(going?.map(({ kind, end }) => [kind, end])).toEqual([
      ["work", "done"],
      ["wait", undefined],
    ]);
  });

  it("a step waits while its sub-run does", () => {
    const inner = aStep("inner", { kind: "workflow", status: "running", started_at: at(0) });
    const events = [
      anEvent(1, "step.started", { step: "inner", try: 1 }, 0),
      anEvent(2, "child.waiting", { step: "inner", waiting: true }, 1),
      anEvent(3, "child.waiting", { step: "inner", waiting: false }, 4),
      anEvent(4, "child.waiting", { step: "inner", waiting: true }, 6),
    ];
    const shape = (run: ReturnType<typeof aRun>, list = events) =>
      spansOf(run, [], list, s(9)).rows[0]?.spans.map(({ kind, from, to }) => [kind, from, to]);
    expect(shape(aRun([inner]))).toEqual([
      ["work", s(0), s(1)],
      ["work", s(4), s(6)],
      ["wait", s(1), s(4)],
      ["wait", s(6), s(9)],
    ]);
    // At the very moment at which it begins to wait, nothing is at work any more.
    const first = spansOf(aRun([inner]), [], events.slice(0, 2), s(1)).rows[0];
    expect([first?.waits, first?.spans.map((x) => x.end)]).toEqual([true, ["done", undefined]]);
    expect(spansOf(aRun([inner]), [], events.slice(0, 3), s(5)).rows[0]).toMatchObject({ waits: false });
    const over = aRun([aDoneStep("inner", 0, 8, { kind: "workflow" })], { ended_at: at(9) });
    const done = [...events, anEvent(5, "step.completed", { step: "inner" }, 8)];
    expect(shape(over, done)?.at(-1)).toEqual(["wait", s(6), s(8)]);
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
    expect(text).toEqual(["0", "2 min", "4 min", "6 min", "8 min", "10 min", "12 min", "14 min", "16 min 40 s"]);
    expect(marks(spans, scaleOf(spans, true), 900).length).toBeLessThanOrEqual(10);
  });

  it("the ruler of a narrow window says at least where it ends", () => {
    const short = spansOf(aRun([aDoneStep("a", 0, 4.2)], { ended_at: at(4.2) }), [], undefined, s(5));
    const text = marks(short, scaleOf(short, false), 246).map((m) => m.label.replaceAll("\u00a0", " "));
    expect(text).toEqual(["0", "4.2 s"]);
  });

  it("what is too short to be seen at the end stands before it", () => {
    const even = scaleOf(spans, false);
    expect(barOf({ from: s(1000), to: s(1000) }, even, 500)).toEqual({ left: 497, width: 3 });
    expect(barOf({ from: s(0), to: s(0) }, even, 500)).toEqual({ left: 0, width: 3 });
    expect(barOf({ from: s(500), to: s(750) }, even, 500)).toEqual({ left: 250, width: 125 });
  });
});

describe("rows of branches", () => {
  const chain = (...ids: [string, number, string[]][]) =>
    ids.map(([id, began, needs]) => aDoneStep(id, began, began + 1, { needs }));
  const rowsOf = (...ids: [string, number, string[]][]) =>
    spansOf(aRun(chain(...ids), { ended_at: at(20) }), [], undefined, s(20)).rows.map((r) => [r.id, r.branch]);

  it("stand together, though their steps began in turn", () => {
    expect(
      rowsOf(
        ["start", 0, []],
        ["left1", 2, ["start"]],
        ["right1", 3, ["start"]],
        ["left2", 4, ["left1"]],
        ["right2", 5, ["right1"]],
        ["left3", 6, ["left2"]],
        ["join", 8, ["left3", "right2"]],
      ),
    ).toEqual([
      ["start", undefined],
      ["left1", "first"],
      ["left2", "inner"],
      ["left3", "last"],
      ["right1", "first"],
      ["right2", "last"],
      ["join", undefined],
    ]);
  });

  it("are nothing special where all is one chain", () => {
    expect(rowsOf(["a", 0, []], ["b", 2, ["a"]], ["c", 4, ["b"]])).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["c", undefined],
    ]);
  });
});
