import { describe, expect, it } from "vitest";
import { rawOf } from "../json";
import { askText, currentNodes, followed, type Gate, gatesOf, planOf, shownStatus, waitedFor } from "./plan";
import { aDoneStep, anApproval, aRun, aStep, at } from "./testing";

const gate = (change: Partial<Gate> = {}): Gate => ({
  id: "look",
  at: "after",
  step: "check",
  title: "Look",
  role: "tax_team",
  ...change,
});

describe("gates of a workflow", () => {
  it("are read with their place", () => {
    const definition = rawOf({
      gates: [
        { id: "first", at: "start" },
        { id: "vat_review", at: "after check", title: "Look", role: "tax" },
        { id: "tools", at: "call email_send" },
      ],
    });
    expect(gatesOf(definition)).toEqual([
      { id: "first", at: "start", step: "", title: "First", role: "" },
      { id: "vat_review", at: "after", step: "check", title: "Look", role: "tax" },
    ]);
    expect(gatesOf(null)).toEqual([]);
    expect(gatesOf(rawOf({ gates: "none" }))).toEqual([]);
  });
});

describe("the plan", () => {
  const run = aRun([aDoneStep("check", 0, 2), aStep("send", { needs: ["check"] })]);

  it("puts gates between the steps they stand between", () => {
    const gates = [
      gate({ id: "s", at: "start", step: "" }),
      gate({ id: "a" }),
      gate({ id: "b", at: "before", step: "send" }),
      gate({ id: "e", at: "end", step: "" }),
      gate({ id: "gone", at: "before", step: "nowhere" }),
    ];
    const links = planOf(run, gates).edges.map((e) => `${e.from} > ${e.to}`);
    expect(links.sort()).toEqual(
      ["check > gate a", "gate a > gate b", "gate b > send", "gate s > check", "send > gate e"].sort(),
    );
  });

  it.each([
    ["ahead", aRun([aStep("check")]), undefined],
    ["unasked", run, undefined],
    ["open", run, anApproval({ gate: "look" })],
    ["passed", run, anApproval({ gate: "look", status: "modified" })],
    ["passed", run, anApproval({ gate: "look", status: "auto_approved" })],
    ["refused", run, anApproval({ gate: "look", status: "rejected" })],
    ["refused", run, anApproval({ gate: "look", status: "timed_out" })],
    ["refused", run, anApproval({ gate: "look", status: "revision_requested" })],
  ] as const)("a gate is %s", (state, given, approval) => {
    const found = planOf(given, [gate()], approval ? [approval] : []).nodes.find((n) => n.kind === "gate");
    expect(found).toMatchObject({ state });
  });

  it("the newest approval of a gate counts", () => {
    const old = anApproval({ id: "apr_1", gate: "look", status: "rejected", requested_at: at(1) });
    const now = anApproval({ id: "apr_2", gate: "look", requested_at: at(5) });
    expect(planOf(run, [gate()], [now, old]).nodes.at(-1)).toMatchObject({ state: "open", approval: { id: "apr_2" } });
  });

  it("edges flow to what is at work and are dead where nothing will come", () => {
    const steps = [
      aDoneStep("a", 0, 1),
      aStep("b", { needs: ["a"], status: "running", started_at: at(1) }),
      aStep("c", { needs: ["a"], status: "skipped", skipped: "if" }),
      aStep("d", { needs: ["b"] }),
      aDoneStep("e", 1, 2, { needs: ["a"] }),
    ];
    const states = Object.fromEntries(planOf(aRun(steps)).edges.map((e) => [e.id, e.state]));
    expect(states).toEqual({ "a→b": "flowing", "a→c": "dead", "b→d": "still", "a→e": "done" });
  });
});

describe("a question without a place in the workflow", () => {
  const steps = [
    aDoneStep("one", 0, 2),
    aStep("two", { needs: ["one"], layer: 1 }),
    aStep("too", { needs: ["one"], layer: 1 }),
    aStep("three", { needs: ["two", "too"], layer: 2 }),
  ];
  const loop = anApproval({ step: "", gate: "", reason: "loop", title: "Continue with two?", role: "" });

  it("stands before the steps that come next while it is open", () => {
    const plan = planOf(aRun(steps), [], [loop]);
    expect(plan.nodes.at(-1)).toMatchObject({ kind: "gate", state: "open", gate: { title: "Continue with two?" } });
    expect(plan.edges.map((e) => `${e.from} > ${e.to}`).sort()).toEqual(
      ["gate apr_1 > too", "gate apr_1 > two", "one > gate apr_1", "too > three", "two > three"].sort(),
    );
    expect(currentNodes(plan)).toEqual(["gate apr_1"]);
  });

  it("stands before the gates of those steps, and at the end where nothing comes next", () => {
    const gates = [gate({ id: "b", at: "before", step: "two" })];
    const links = planOf(aRun(steps), gates, [loop]).edges.map((e) => `${e.from} > ${e.to}`);
    expect(links).toContain("gate apr_1 > gate b");
    expect(links).not.toContain("one > gate b");
    const over = planOf(aRun([aDoneStep("one", 0, 2)]), [], [loop]);
    expect(over.edges.map((e) => e.id)).toEqual(["one→gate apr_1"]);
  });

  it("is gone when it is settled, and no gate of the workflow is drawn twice", () => {
    expect(planOf(aRun(steps), [], [{ ...loop, status: "approved" }]).nodes).toHaveLength(4);
    const end = gate({ id: "final", at: "end", step: "" });
    expect(planOf(aRun(steps), [end], [anApproval({ step: "", gate: "final" })]).nodes).toHaveLength(5);
  });
});

describe("what is current", () => {
  const ids = (steps: Parameters<typeof aRun>[0], gates: Gate[] = [], approvals = [anApproval({ step: "gone" })]) =>
    currentNodes(planOf(aRun(steps), gates, approvals.slice(gates.length > 0 ? 0 : 1)));

  it.each([
    [
      ["waiting", "running"],
      ["running", "failed", "waiting", "done"],
    ],
    [["running"], ["done", "failed", "running"]],
    [["failed"], ["done", "failed", "pending"]],
  ] as const)("is %s", (want, statuses) => {
    expect(ids(statuses.map((status) => aStep(status, { status })))).toEqual(want);
  });

  it("is the last that ended where nothing is going on, and the first before anything has begun", () => {
    expect(ids([aDoneStep("b", 0, 9), aDoneStep("a", 0, 2), aStep("c")])).toEqual(["b"]);
    expect(ids([aStep("c"), aStep("d")])).toEqual(["c"]);
    expect(ids([])).toEqual([]);
  });

  it("is a gate that waits, then its step, even where the step has not begun", () => {
    const start = gate({ id: "s", at: "start", step: "" });
    expect(ids([aStep("check")], [start], [anApproval({ step: "", gate: "s" })])).toEqual(["gate s"]);
    const before = gate({ id: "b", at: "before" });
    const busy = aStep("other", { status: "running" });
    expect(ids([busy, aStep("check")], [before], [anApproval({ gate: "b" })])).toEqual(["gate b", "check", "other"]);
  });

  it("is what is marked, with the question about it", () => {
    const steps = [aStep("check"), aStep("other", { status: "running" })];
    const plan = planOf(aRun(steps), [gate({ id: "b", at: "before" })], [anApproval({ gate: "b" })]);
    expect(followed(plan, new Set(["check"]))).toEqual(["gate b", "check"]);
    expect(followed(plan, new Set(["other"]))).toEqual(["other"]);
    expect(followed(plan, new Set())).toEqual(["gate b", "check", "other"]);
  });

  it("a step waits with its sub-run", () => {
    const inner = aStep("inner", { kind: "workflow", status: "running", started_at: at(1) });
    const shown = (status: "running" | "waiting") =>
      planOf(aRun([inner], { status })).nodes.map((n) => n.kind === "step" && shownStatus(n));
    expect(shown("waiting")).toEqual(["waiting"]);
    expect(shown("running")).toEqual(["running"]);
  });
});

describe("who is asked", () => {
  it("by name and by role", () => {
    expect(waitedFor(anApproval())).toBe("Tax team");
    expect(waitedFor(anApproval({ role: "", assignees: [] }))).toBe("anyone");
    expect(waitedFor(anApproval({ assignees: ["bob", "role:press_office"], role: "" }))).toBe("bob, Press office");
    expect(waitedFor(anApproval({ quorum: { needed: 2, given: 1, by_role: { legal: 1 } } }))).toBe("Legal");
    expect(waitedFor(anApproval({ escalated_to: ["role:manager"] }))).toBe("Tax team, Manager");
  });
  it("a tool call is told by what it does", () => {
    const call = anApproval({ reason: "call", description: "Write the file a.csv", title: "wants to use write_file" });
    expect(askText(call)).toBe("Checker: Write the file a.csv");
    expect(askText(anApproval({ description: "More" }))).toBe("Look at the figures");
  });
});
