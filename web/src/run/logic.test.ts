import { describe, expect, it } from "vitest";
import { type CommandName, permitted } from "../api/permitted";
import type { Event, RunStatus } from "../api/types";
import { aDoneStep, anApproval, anEvent, aRun, aStep, at } from "../graph/testing";
import { raw, rawOf } from "../json";
import { quickly } from "../pending/Pending";
import { eventType, runStatus } from "../words";
import { patchOf } from "./CommandDialogs";
import { commandsFor } from "./commands";
import { wanted } from "./EventLog";
import { entriesOf } from "./entries";
import { editsOf } from "./ForkDialog";
import { faultsOf, idOf, textOf } from "./inject";
import { momentsOf } from "./moments";
import { isTalk } from "./RunPage";
import { tell } from "./tell";
import { hear, type Speech } from "./useProgress";
import { stepOf } from "./Warnings";
import { failureWord, goDuration, limitName, limitUse, limitValue, pausedBy, standing } from "./words";

type Actor = Event["actor"];

const plainly = (text: string) => text.replaceAll("\u00a0", " ");

describe("commands", () => {
  const steps = [aStep("next")];
  it.each([
    ["running", "pause", "resume"],
    ["waiting", "pause", "retry"],
    ["paused", "resume", "pause"],
    ["failed", "reopen", "cancel"],
    ["limit_reached", "raise", "reopen"],
    ["completed", "fork", "message"],
    ["cancelled", "retry", "cancel"],
  ] as [RunStatus, never, never][])("%s: has %s and not %s", (status, has, hasNot) => {
    const names = commandsFor(aRun(steps, { status }));
    expect(names).toContain(has);
    expect(names).not.toContain(hasNot);
  });
  it("one that is being cancelled can only be ended at once, or forked", () => {
    expect(commandsFor(aRun(steps, { cancelling: {} }))).toEqual(["fork", "abort"]);
  });
  it("steps can be skipped or changed only before they start", () => {
    expect(commandsFor(aRun(steps))).toContain("skip_step");
    expect(commandsFor(aRun([aDoneStep("a", 0, 1)]))).not.toContain("skip_step");
    expect(commandsFor(aRun([aStep("a", { status: "waiting", started_at: null })]))).toContain("modify_args");
  });
});

describe("words", () => {
  it.each(Object.keys(runStatus) as RunStatus[])("%s is told in a sentence", (status) => {
    expect(standing(aRun([], { status }))).toMatch(/^[A-Z].*\.$/);
  });
  it("say what it works on and waits for", () => {
    const busy = aStep("read_mail", { status: "running", started_at: at(0) });
    expect(standing(aRun([busy], { pending_approvals: ["apr_1"] }))).toBe(
      "Working on Read mail. 1 decision is pending.",
    );
    expect(standing(aRun([], { status: "waiting", pending_approvals: ["a", "b"] }))).toContain("Waits for 2 decisions");
    expect(standing(aRun([], { status: "paused", pause: { reason: "no answer" } }))).toContain("no answer");
  });
  it("say what failed in a run that went on", () => {
    const steps = ["load_file", "b", "c", "d", "e", "f"].map((id, i) =>
      aStep(id, { status: i < 1 ? "failed" : "done" }),
    );
    expect(standing(aRun(steps, { status: "completed" }))).toBe("Completed, but the step Load file failed.");
    const fail = (n: number) =>
      steps.map((s, i) => ({ ...s, status: i < n ? ("failed" as const) : ("done" as const) }));
    expect(standing(aRun(fail(2), { status: "completed" }))).toBe("Completed, but 2 steps failed: Load file, B.");
    expect(standing(aRun(fail(6), { status: "completed" }))).toBe(
      "Completed, but 6 steps failed: Load file, B, C and 3 more.",
    );
    expect(standing(aRun(fail(0), { status: "completed" }))).toBe("All steps finished.");
  });
  it("say what sub-runs wait for", () => {
    const run = aRun([], { status: "waiting" });
    expect(standing(run, { below: 1 })).toBe("Waits for 1 decision in a sub-run. Nothing runs until then.");
    const listed = `apr_${run.id.replace(/^run_/, "")}.1_1`;
    expect(standing({ ...run, pending_approvals: [listed] }, { below: 1 })).toContain(
      "Waits for 1 decision in a sub-run",
    );
    expect(standing({ ...run, pending_approvals: ["a"] }, { below: 2 })).toBe(
      "Waits for 3 decisions, some of them in sub-runs. Nothing runs until then.",
    );
  });
  it("say who paused it", () => {
    const paused = (actor: Actor) => ({ ...anEvent(2, "run.paused", {}), actor });
    const run = aRun([], { status: "paused" });
    const events = [anEvent(1, "run.started", {}), paused({ kind: "person", name: "ann" }), anEvent(3, "x.y", {})];
    expect(pausedBy(events)).toBe("ann");
    expect(standing(run, { pausedBy: "ann" })).toBe("Paused by ann. Resume it to continue.");
    expect(pausedBy([...events, paused({ kind: "system" })])).toBeUndefined();
    expect(standing({ ...run, pause: { reason: "lunch" } }, { pausedBy: "ann" })).toContain("Paused by ann: lunch.");
  });
  it("say what a cancelled run waits for", () => {
    const busy = aStep("read_mail", { status: "running", started_at: at(0) });
    expect(standing(aRun([busy], { cancelling: { reason: "Not needed" } }))).toBe(
      "Cancelled: Not needed. It ends when Read mail has ended.",
    );
    expect(standing(aRun([], { cancelling: {} }))).toBe("Cancelled. It ends in a moment.");
  });
  it("limits have units", () => {
    expect(goDuration("1h20m0.5s")).toBe(4_800_500);
    expect(goDuration("250ms")).toBe(250);
    expect(plainly(limitValue("duration", "4h0m0s"))).toBe("4 h");
    expect(limitValue("cost_usd", "0.75")).toBe("$0.75");
    expect(limitValue("iterations", "1")).toBe("1 turn");
    expect(limitUse("iterations", "3", "40")).toBe("3 of 40 turns");
    expect(limitUse("cost_usd", "0.06", "5")).toBe("$0.06 of $5.00");
    expect(limitName("made_up")).toBe("Made up");
  });
  it("failures of codes that nobody knows are readable", () => {
    expect(failureWord("timeout")).toContain("longer than allowed");
    expect(failureWord("no_such_account")).toBe("No such account.");
  });
});

describe("events in words", () => {
  it.each(Object.keys(eventType))("%s", (type) => {
    expect(tell(anEvent(1, type, {}))).toBeTruthy();
    expect(tell(anEvent(1, type, { step: "send_mail", index: 2 }))).not.toMatch(/undefined|NaN|\[object/);
  });
  it("say what and why", () => {
    expect(tell(anEvent(1, "step.failed", { step: "pay", error: { message: "no money" } }))).toBe(
      "Step failed: Pay, no money",
    );
    expect(tell(anEvent(1, "step.skipped", { step: "pay", why: "if" }))).toBe(
      "Step skipped: Pay, its condition was not met",
    );
    expect(tell(anEvent(1, "agent.handed_off", { step: "a", from: "triage", to: "billing_agent" }))).toContain(
      "Triage to Billing agent",
    );
    expect(tell(anEvent(1, "approval.decided", { id: "x", decision: { act: "reject", by: "bob" } }))).toBe(
      "Decision given: bob rejected",
    );
    expect(tell(anEvent(1, "limit.warning", { step: "a", limit: "cost_usd" }))).toBe("Close to a limit: A, cost");
    expect(tell({ ...anEvent(1, "made.up", 7), data: rawOf(7) })).toBe("Made up");
  });
  it("are filtered by kind, weight and text", () => {
    const detail = anEvent(1, "turn.started", { step: "a" });
    const step = anEvent(2, "step.completed", { step: "send_mail", note: "Nordlys" });
    expect(wanted(detail, "", "")).toBe(false);
    expect(wanted(detail, "all", "")).toBe(true);
    expect(wanted(step, "approval", "")).toBe(false);
    expect(wanted(step, "step", "nordLYS")).toBe(true);
    expect(wanted(step, "", "refund")).toBe(false);
  });
});

describe("the thread", () => {
  it("holds what was said, decided and handed in, in order", () => {
    const thread = [{ at: at(3), from: { kind: "agent" as const, name: "writer" }, text: "Done soon" }];
    const events = [
      anEvent(1, "run.started", {}, 0),
      anEvent(2, "message.added", { from: { kind: "person", name: "ann" }, text: "older", at: at(1) }, 1),
      anEvent(7, "agent.message", { step: "a", from: "finder", to: "writer", text: "between agents" }, 1),
      anEvent(3, "turn.completed", { step: "w", agent: "writer", turn: { text: "Done soon" } }, 3),
      anEvent(
        4,
        "deliverable.created",
        { step: "w", agent: "writer", deliverable: { id: "d1", name: "report.md", type: "document" } },
        5,
      ),
      anEvent(5, "agent.handed_off", { step: "w", from: "a", to: "b" }, 6),
      anEvent(6, "step.started", { step: "w" }, 2),
    ];
    const entries = entriesOf({ thread }, events, [anApproval({ requested_at: at(4) })], []);
    expect(entries.map((e) => e.kind)).toEqual([
      "line",
      "message",
      "message",
      "message",
      "approval",
      "deliverable",
      "line",
    ]);
    expect(entries[1]).toMatchObject({ message: { text: "older" } });
    expect(entries[2]).toMatchObject({ message: { from: { name: "finder" }, to: "writer", text: "between agents" } });
  });
});

describe("what agents say while they work", () => {
  const said = (text: string, percent?: number) => ({ type: "step.progress", data: { step: "talk", text, percent } });
  it("pieces become a text, a remark with a percentage stands alone, and it ends with the turn", () => {
    let speech: Speech = new Map();
    for (const word of ["Let ", "me ", "think"]) speech = hear(speech, said(word));
    expect(speech.get("talk")?.text).toBe("Let me think");
    speech = hear(speech, said("half way", 50));
    expect(speech.get("talk")).toMatchObject({ text: "half way", percent: 50 });
    expect(hear(speech, { type: "turn.completed", data: { step: "other" } })).toBe(speech);
    expect(hear(speech, { type: "turn.completed", data: { step: "talk" } }).size).toBe(0);
    expect(hear(speech, { type: "step.progress" })).toBe(speech);
  });
});

describe("edits", () => {
  it("of a known input become a merge patch, digit by digit", () => {
    const before = raw('{"sum":1.10,"big":9007199254740993,"note":"x"}');
    expect(patchOf(before, '{"sum":1.20,"big":9007199254740993}')).toEqual({
      patch: { $json: '{"sum":1.20,"note":null}' },
    });
    expect(patchOf(before, before.$json)).toEqual({ patch: undefined });
  });
  it("of an input that is not known yet are the patch", () => {
    expect(patchOf(null, '{"a": 1}')).toEqual({ patch: { $json: '{"a": 1}' } });
    expect(patchOf(null, "{\n}")).toEqual({});
    expect(patchOf(null, "[1]").fault).toContain("object");
    expect(patchOf(null, "{").fault).toContain("Not valid JSON");
    expect(patchOf(rawOf({ a: 1 }), '{"a":null}').fault).toContain("cannot be set to null");
  });
  it("of a fork leave out what was not changed", () => {
    const original = (key: string) => rawOf(key === "input" ? { month: "11" } : { ok: true });
    expect(editsOf({ input: '{ "month": "11" }' }, original)).toEqual({});
    expect(editsOf({ input: '{"month":"12"}', "output pay": '{"ok":false}' }, original)).toEqual({
      edits: { input: { $json: '{"month":"12"}' }, outputs: { pay: { $json: '{"ok":false}' } } },
    });
    expect(editsOf({ "output pay": "{" }, original).fault).toBe("The output of Pay is not JSON yet.");
  });
});

describe("moments to fork at", () => {
  const events = [
    anEvent(1, "run.started", {}),
    anEvent(2, "step.started", { step: "load_file", try: 1 }),
    anEvent(3, "step.failed", { step: "load_file", error: { message: `no such file\n${"at x\n".repeat(30)}` } }),
    anEvent(4, "turn.started", { step: "load_file" }),
  ];
  it("are told in words, the newest first, with the number of the event", () => {
    const { options, older } = momentsOf(events, 4);
    expect(options.map((o) => [o.value, o.label.replace(/ \(\d\d:\d\d\)$/, "")])).toEqual([
      ["4", "Now, with all that has happened"],
      ["3", "After: Step failed: Load file, no such file"],
      ["2", "After: Step started: Load file"],
      ["1", "After: Run started"],
    ]);
    expect(older).toBe(false);
  });
  it("are not too many to choose from", () => {
    const many = Array.from({ length: 1000 }, (_, i) => anEvent(i + 1, "step.completed", { step: "a" }));
    const { options, older } = momentsOf(many, 1000);
    expect([options.length, options[1]?.value, older]).toEqual([201, "999", true]);
  });
});

describe("the step of a warning", () => {
  it.each([
    ["steps.a", "a"],
    ["steps.pay_out.with.sum", "pay_out"],
    ["output.sum", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s", (path, step) => expect(stepOf(path)).toBe(step));
});

describe("quick answers", () => {
  it.each([
    [true, {}],
    [false, { risk: { level: "critical" as const } }],
    [false, { kind: "choice" as const }],
    [false, { kind: "input" as const }],
    [false, { acts: [] }],
    [false, { proposed: rawOf("x".repeat(3000)) }],
  ])("%s for %j", (want, change) => expect(quickly(anApproval(change))).toBe(want));
});

describe("commands by what one may do", () => {
  const names: CommandName[] = ["pause", "skip_step", "retry", "fork", "cancel"];
  const may =
    (...held: string[]) =>
    (p: string) =>
      held.includes(p);
  it.each([
    ["nobody", [], false, []],
    ["an owner", [], true, ["pause", "cancel"]],
    ["who may command", ["command"], false, ["pause", "skip_step", "cancel"]],
    ["who may command and start", ["command", "start"], false, names],
    ["who may only start", ["start"], false, []],
  ] as const)("%s", (_, held, owner, want) => {
    expect(permitted(names, may(...held), owner)).toEqual(want);
  });
});

describe("steps that somebody adds", () => {
  const step = (name: string, agent = "quick", needs: string[] = []) => ({ name, agent, needs });
  it("get their place in the plan from their name", () => {
    expect(["Check the VAT", " 2nd look ", "Größe prüfen!", "…"].map(idOf)).toEqual([
      "check_the_vat",
      "2nd_look",
      "große_prufen".replace("ß", "_"),
      "",
    ]);
    expect(textOf([step("Look twice", "quick", ["join"]), step("Send")])).toEqual([
      { id: "look_twice", agent: "quick", needs: ["join"] },
      { id: "send", agent: "quick" },
    ]);
  });
  it("say what is missing", () => {
    const faults = faultsOf([step(""), step("Join"), step("A"), step("a!"), step("2nd"), step("B", "")], ["join"]);
    expect(faults.map((f) => f.name ?? f.agent)).toEqual([
      "Give it a name.",
      "A step with this name already exists.",
      undefined,
      "A step with this name already exists.",
      "Begin with a letter.",
      "Choose who does it.",
    ]);
  });
});

describe("a run of one agent with a model", () => {
  it("leads with its thread, from before its first turn until after its end", () => {
    const limits = [{ limit: "iterations", used: "0", max: "10", percent: 0 }];
    expect(isTalk(aRun([aStep("read", { limits })]))).toBe(true);
    expect(isTalk(aRun([aStep("read", { turns: 1 })]))).toBe(true);
    expect(isTalk(aRun([aDoneStep("read", 0, 1)], { usage: { llm_calls: 2 } }))).toBe(true);
    expect(isTalk(aRun([aDoneStep("read", 0, 1)]))).toBe(false);
    expect(isTalk(aRun([aStep("read", { turns: 1 }), aStep("send")]))).toBe(false);
  });
});
