import { describe, expect, it } from "vitest";
import type { Approval, Event, EventType, Run } from "../api/types";
import { raw, rawOf, treeOf } from "../json";
import { eventType } from "../words";
import { approvalsAsOf } from "./asOf";
import { inline } from "./ChangeView";
import { changesBetween, diff, hasBlobs } from "./changes";
import { editsOf } from "./edits";
import { marksOf, nextOf, tickPath } from "./marks";
import { stay } from "./player";
import { doneText } from "./StatePanel";
import { say, stepsOf, whoOf } from "./say";
import { scaleOf } from "./scale";

const event = (type: string, data: object = {}, actor: object = { kind: "system", name: "" }): Event =>
  ({ feed: 1, run: "run_1", seq: 1, at: "2026-11-15T09:00:00Z", type, actor, data: rawOf(data) }) as Event;

describe("events in words", () => {
  const types = Object.keys(eventType) as EventType[];

  it.each(types)("%s, with and without data", (type) => {
    for (const data of [{}, { step: "write_mail", index: 2, error: { message: "m" }, request: {}, decision: {} }]) {
      const text = say(event(type, data));
      expect(text).toMatch(/^\S.*\S$/);
      expect(text).not.toMatch(/undefined|null|\[object|NaN/);
      expect(text).not.toContain("write_mail");
    }
  });

  it("say what matters", () => {
    expect(say(event("step.failed", { step: "send", error: { message: "no answer" } }))).toBe("Send failed: no answer");
    expect(say(event("step.skipped", { step: "send", why: "if" }))).toBe(
      "Send was skipped. Its condition was not met.",
    );
    expect(say(event("step.started", { step: "send", try: 3 }))).toBe("Send began, try 3");
    expect(say(event("approval.decided", { decision: { by: "ben", act: "escalate", to: "role:manager" } }))).toBe(
      "ben escalated to the role manager",
    );
    expect(say({ ...event("approval.timed_out"), data: raw('{"then":"cancel"}') })).toBe(
      "Approval timed out: the run is cancelled",
    );
    expect(say(event("snapshot.saved", { layer: 0 }))).toBe("A snapshot was saved after layer 1");
    expect(say(event("made.up_later", { step: "send" }))).toBe("Made up later: Send");
  });

  it("survive data that is not what they expect", () => {
    const odds = [
      "null",
      "[]",
      '"x"',
      "7",
      '{"steps":7}',
      '{"decision":7}',
      '{"step":{}}',
      '{"spot":7}',
      '{"steps":[null]}',
    ];
    for (const [type, data] of odds.flatMap((data) => types.map((type) => [type, data] as const))) {
      const odd = { ...event(type), data: raw(data) };
      expect(say(odd)).toBeTruthy();
      expect(stepsOf(odd)).toEqual([]);
    }
  });

  it("tell who did it", () => {
    const by = (kind: string, name: string) => whoOf(event("x", {}, { kind, name }));
    expect([by("person", "maria"), by("agent", "mail_bot"), by("policy", "Safe reads"), by("system", "")]).toEqual([
      "maria",
      "Agent Mail bot",
      "Rule “Safe reads”",
      "Assent",
    ]);
    expect(by("service", "nightly")).toBe("Service Nightly");
    expect(by("made_up", "x")).toBe("Someone X");
  });

  it("know the steps that they are about", () => {
    expect(stepsOf(event("step.started", { step: "a" }))).toEqual(["a"]);
    expect(stepsOf(event("approval.needed", { spot: { step: "b" } }))).toEqual(["b"]);
    expect(stepsOf(event("layer.started", { steps: ["a", "b"] }))).toEqual(["a", "b"]);
    expect(stepsOf(event("plan.changed", { steps: [{ id: "c" }] }))).toEqual(["c"]);
  });
});

describe("ticks", () => {
  it("mark decisions, failures and waits", () => {
    const all = [
      event("run.started"),
      event("approval.decided"),
      event("step.failed"),
      event("child.waiting", { waiting: true }),
      event("child.waiting", { waiting: false }),
    ].map((e, i) => ({ ...e, seq: i + 1 }));
    expect(marksOf(all)).toEqual({ decision: [2], failure: [3], wait: [4] });
    expect([nextOf([2, 5], 2, 1), nextOf([2, 5], 5, 1), nextOf([2, 5], 5, -1), nextOf([2, 5], 2, -1)]).toEqual([
      5,
      undefined,
      2,
      undefined,
    ]);
  });

  it("stay few however long the log is", () => {
    const seqs = Array.from({ length: 10_000 }, (_, i) => i + 1);
    expect(tickPath(seqs, scaleOf([], 10_000, true)).split("M").length).toBeLessThan(900);
  });
});

describe("the scrubber's scale", () => {
  const at = (...seconds: number[]) =>
    seconds.map((s, i) => ({ ...event("step.started"), seq: i + 1, at: new Date(s * 1000).toISOString() }));
  const places = (events: Event[], skip: boolean) => {
    const scale = scaleOf(events, events.length, skip);
    return events.map((e) => Math.round(scale.place(e.seq) * 100));
  };

  it("goes by time", () => {
    expect(places(at(0, 1, 9, 10), false)).toEqual([0, 10, 90, 100]);
  });

  it("shortens waits that are skipped", () => {
    expect(places(at(0, 1, 3601, 3602), true)).toEqual([0, 40, 60, 100]);
  });

  it("keeps events of one moment apart, and has a place for clocks that go back", () => {
    expect(places(at(0, 0, 0), false)).toEqual([0, 50, 100]);
    expect(places(at(10, 5, 20), false)[1]).toBeGreaterThan(0);
  });

  it("finds the nearest event, also beyond the ends", () => {
    const { seqAt } = scaleOf(at(0, 1, 9, 10), 4, false);
    expect([-1, 0, 0.04, 0.06, 0.49, 0.51, 0.94, 0.96, 2].map(seqAt)).toEqual([1, 1, 1, 2, 2, 3, 3, 4, 4]);
  });

  it("is even until the log is here", () => {
    const scale = scaleOf(at(0, 1), 5, false);
    expect([1, 2, 5].map(scale.place)).toEqual([0, 0.25, 1]);
    expect(scaleOf(at(0), 1, false).place(1)).toBe(0);
  });
});

describe("time", () => {
  it.each([
    [0, 1, true, 160],
    [1000, 1, true, 1000],
    [1000, 4, true, 250],
    [3_600_000, 1, true, 500],
    [3_600_000, 1, false, 3_600_000],
    [-5, 16, false, 10],
  ] as const)("a gap of %d ms at %d×, waits skipped: %s", (gap, speed, skip, want) => {
    expect(stay(gap, speed, skip)).toBe(want);
  });
});

const run = (part: object = {}): Run =>
  ({
    status: "running",
    input: raw("{}"),
    context: raw("{}"),
    output: null,
    steps: [],
    thread: [],
    pending_approvals: [],
    warnings: [],
    error: null,
    usage: {},
    ...part,
  }) as unknown as Run;

describe("differences", () => {
  const between = (a: string, b: string) =>
    diff(treeOf(a), treeOf(b)).map((c) => [c.path, c.op, c.from?.$json, c.to?.$json]);

  it("are told place by place, as written", () => {
    expect(between('{"a":1.0,"b":[1,2],"c/d":1}', '{"b":[1,3,{"x":0.10}],"a":1.00}')).toEqual([
      ["/a", "replace", "1.0", "1.00"],
      ["/b/1", "replace", "2", "3"],
      ["/b/2", "add", undefined, '{"x":0.10}'],
      ["/c~1d", "remove", "1", undefined],
    ]);
    expect(between('{"a":1,"b":2}', '{"b":2,"a":1}')).toEqual([]);
    expect(between("9007199254740993", "9007199254740992")).toEqual([
      ["", "replace", "9007199254740993", "9007199254740992"],
    ]);
    expect(between("[]", "{}")).toEqual([["", "replace", "[]", "{}"]]);
  });

  it("come in sections that people know", () => {
    const a = run({ steps: [{ id: "write", status: "running", needs: [] }] });
    const b = run({
      status: "completed",
      steps: [
        { id: "write", status: "done", needs: [] },
        { id: "extra", status: "pending", needs: ["write"] },
      ],
      context: raw('{"n":1}'),
      thread: [{ text: "hi" }],
    });
    expect(changesBetween(a, b).map((s) => s.title)).toEqual(["Run", "Step Write", "Step Extra", "Context", "Thread"]);
    expect(changesBetween(a, a)).toEqual([]);
  });

  it("are in words where the shape is known, and never a bag of brackets", () => {
    const before = run({
      steps: [{ id: "boss", kind: "workflow", status: "running", needs: [], try: 1, elements: { done: 0, total: 0 } }],
    });
    const after = run({
      status: "failed",
      error: { code: "child_failed", message: "The file is not a picture.", step: "boss", at: "2026-11-15T09:00:00Z" },
      warnings: [{ code: "slow", message: "It is slow." }],
      pause: { approval: "apr_1" },
      output: raw('{"n":1}'),
      thread: [{ from: { name: "maria" }, to: "boss", text: "Again?" }],
      steps: [
        {
          id: "boss",
          kind: "workflow",
          status: "failed",
          needs: [],
          try: 2,
          error: { code: "child_failed", message: "The file is not a picture.", child: { run: "run_2" } },
          elements: { done: 3, running: 1, total: 5 },
          confidence: 0.5,
          skipped: "command",
          injected: true,
        },
      ],
    });
    const found = changesBetween(before, after).flatMap((s) => s.changes.map((c) => [c.path, c.to?.$json]));
    expect(Object.fromEntries(found)).toMatchObject({
      "/Error": '"The file is not a picture."',
      "/Failed step": '"Boss"',
      "/Warnings": '["It is slow."]',
      "/Paused": '"No decision in time"',
      "/Tries": "2",
      "/Elements": '"3 of 5 done"',
      "/0": '"maria to Boss: Again?"',
      "": '{"n":1}',
    });
    const texts = found.filter(([path]) => path !== "").map(([, to]) => to ?? "");
    expect(texts.filter((text) => text.includes("{") || text.includes("child_failed"))).toEqual([]);
  });

  it("small values are told in a line, large ones are not", () => {
    const line = (text: string) => inline(treeOf(text));
    expect(line('{"ok":true,"sum":0.10}')).toBe("ok: true, sum: 0.10");
    expect(line('["a","b"]')).toBe("a, b");
    expect(line('"a text"')).toBe("a text");
    expect(line("[]")).toBe("an empty list");
    expect(line("{}")).toBe("nothing in it");
    expect(line('{"deep":{"er":1}}')).toBeUndefined();
    expect(line('"two\\nlines"')).toBeUndefined();
    expect(line(JSON.stringify("x".repeat(200)))).toBeUndefined();
  });

  it("say when they do not tell all", () => {
    const big = run({ context: raw('{"big":{"$blob":"x","size":70000}}') });
    expect(hasBlobs(changesBetween(run(), big))).toBe(true);
    expect(hasBlobs(changesBetween(run(), run({ context: raw('{"n":1}') })))).toBe(false);
  });
});

describe("how far it was", () => {
  it.each([
    [["done", "failed", "pending"], "1 of 3 steps done, 1 failed"],
    [["cancelled"], "0 of 1 step done, 1 cancelled"],
    [["done", "skipped", "skipped"], "1 of 3 steps done, 2 left out"],
    [["done", "done"], "2 of 2 steps done"],
  ] as const)("%s", (statuses, want) => {
    expect(doneText(statuses.map((status) => ({ status })))).toBe(want);
  });
});

describe("edits of a fork", () => {
  const past = run({ input: raw('{"n":1}'), context: raw('{"n":1,"m":2}'), steps: [{ id: "w", output: raw("[1]") }] });

  it("are only what differs", () => {
    expect(editsOf({ outputs: {} }, past)).toEqual({ edits: undefined, errors: {}, count: 0 });
    expect(editsOf({ input: '{ "n": 1 }', context: '{"n":1,"m":2}', outputs: { w: "[ 1 ]" } }, past).count).toBe(0);
    const made = editsOf({ input: "[0.10]", context: '{"n":1}', outputs: { w: "[1,2]" } }, past);
    expect(made.count).toBe(3);
    expect(made.edits).toEqual({
      input: raw("[0.10]"),
      context: raw('{"m":null}'),
      outputs: { w: raw("[1,2]") },
    });
  });

  it("say what cannot be", () => {
    const made = editsOf({ input: "{", context: '{"n":null,"m":2}', outputs: { w: "x" } }, past);
    expect(Object.keys(made.errors).sort()).toEqual(["context", "input", "w"]);
    expect(made.errors.context).toContain("null");
    expect(editsOf({ context: "[]", outputs: {} }, past).errors.context).toBeTruthy();
  });
});

describe("approvals as they were", () => {
  const approvals = [
    {
      id: "apr_1",
      status: "approved",
      outcome: { at: "2026-11-15T09:05:00Z" },
      decisions: [{ at: "2026-11-15T09:04:00Z" }],
    },
  ] as unknown as Approval[];
  const on = (open: string[], at: string) =>
    approvalsAsOf(approvals, run({ pending_approvals: open }), at).map((a) => [a.status, a.decisions.length]);

  it("are not there before, open while open, settled afterwards", () => {
    expect(on([], "2026-11-15T09:00:00Z")).toEqual([]);
    expect(on(["apr_1"], "2026-11-15T09:01:00Z")).toEqual([["pending", 0]]);
    expect(on(["apr_1"], "2026-11-15T09:04:30Z")).toEqual([["pending", 1]]);
    expect(on([], "2026-11-15T09:06:00Z")).toEqual([["approved", 1]]);
  });
});
