import { describe, expect, it } from "vitest";
import { rawOf } from "../json";
import { askText, currentStep, type Gate, gatesOf, planOf, waitedFor } from "./plan";
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

describe("the current step", () => {
  it.each([
    ["failed", ["running", "failed", "waiting"]],
    ["running", ["done", "waiting", "running"]],
    ["waiting", ["done", "pending", "waiting"]],
  ] as const)("is the one that is %s", (want, statuses) => {
    expect(currentStep(aRun(statuses.map((status) => aStep(status, { status }))))).toBe(want);
  });
  it("is the last that ended where nothing is going on", () => {
    expect(currentStep(aRun([aDoneStep("b", 0, 9), aDoneStep("a", 0, 2), aStep("c")]))).toBe("b");
    expect(currentStep(aRun([aStep("c")]))).toBeUndefined();
  });
});

describe("who is asked", () => {
  it("by name and by role", () => {
    expect(waitedFor(anApproval())).toBe("Tax team");
    expect(waitedFor(anApproval({ role: "", assignees: [] }))).toBe("anybody");
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
