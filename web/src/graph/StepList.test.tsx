import { cleanup, fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { Call, SkipReason, StepStatus, Try } from "../api/types";
import { skipReason, stepStatus } from "../words";
import { factsOf } from "./facts";
import { arrange } from "./layout";
import { type Gate, planOf } from "./plan";
import { RunGraph } from "./RunGraph";
import { StepList } from "./StepList";
import { Timeline } from "./Timeline";
import { aDoneStep, anApproval, aRun, aStep, at, serve, show, start } from "./testing";
import { boxesOf } from "./view";
import { callsOf, entriesOf } from "./Within";

const words = (facts: { text: string }[]) => facts.map((f) => f.text.replaceAll("\u00a0", " "));

describe("the list of steps", () => {
  it.each(Object.keys(stepStatus) as StepStatus[])("tells that a step is %s", async (status) => {
    await show(<StepList gates={[]} run={aRun([aStep("check_vat", { status })])} onSelect={() => {}} />);
    expect(screen.getByText("Check VAT")).toBeTruthy();
    expect(screen.getByText(stepStatus[status].label)).toBeTruthy();
  });

  it.each(Object.keys(skipReason) as SkipReason[])("says why a step was skipped: %s", async (skipped) => {
    await show(<StepList gates={[]} run={aRun([aStep("x", { status: "skipped", skipped })])} onSelect={() => {}} />);
    expect(screen.getByText(skipReason[skipped].label)).toBeTruthy();
  });

  it("an agent that is held by a decision waits; a gate leads to its approval", async () => {
    const onSelect = vi.fn();
    const run = aRun([aStep("check", { status: "running", started_at: at(0) })]);
    const gates = [{ id: "g", at: "after" as const, step: "check", title: "Look at it", role: "tax_team" }];
    await show(<StepList run={run} gates={gates} approvals={[anApproval({ gate: "g" })]} onSelect={onSelect} />);
    expect(screen.getByText("Waiting")).toBeTruthy();
    expect(screen.getByRole("link", { name: /Look at it/ }).getAttribute("href")).toBe("/approvals/apr_1");
    fireEvent.click(screen.getByRole("button", { name: /Check/ }));
    expect(onSelect).toHaveBeenCalledWith("check");
  });
});

describe("a question between layers", () => {
  it("stands in the list before what comes next, and leads to its approval", async () => {
    const run = aRun([aDoneStep("one", 0, 1), aStep("two", { layer: 1, needs: ["one"] })]);
    const loop = anApproval({ step: "", gate: "", reason: "loop", title: "Continue with two?" });
    await show(<StepList gates={[]} run={run} approvals={[loop]} onSelect={() => {}} />);
    const rows = screen.getAllByRole("listitem").map((row) => row.textContent);
    expect(rows.map((text) => /One|Gate|Two/.exec(text ?? "")?.[0])).toEqual(["One", "Gate", "Two"]);
    expect(screen.getByRole("link", { name: /Continue with two\?/ }).getAttribute("href")).toBe("/approvals/apr_1");
  });
});

describe("what is in a step", () => {
  const within = { gates: [], onSelect: () => {} };
  it("is shown on demand: entries of a list, each as its last try stands", async () => {
    const tries = [
      { index: 1, try: 1, started_at: at(0), ended_at: at(1), error: { code: "failed", message: "no" } },
      { index: 0, try: 1, started_at: at(0), ended_at: at(1) },
      { index: 1, try: 2, started_at: at(2), ended_at: null },
    ] as Try[];
    expect(entriesOf(tries).map((e) => [e.label, e.status.label])).toEqual([
      ["Entry 1", stepStatus.done.label],
      ["Entry 2", stepStatus.running.label],
    ]);
    const step = aStep("mail", { status: "running", elements: { done: 1, running: 1, total: 2 } });
    serve({ "GET /api/v1/runs/run_1/steps/mail": () => ({ ...step, tries, calls: [] }) });
    const onOpen = vi.fn();
    const list = await show(<StepList {...within} run={aRun([step, aStep("end")])} onOpen={onOpen} />);
    fireEvent.click(screen.getByRole("button", { name: "What is in Mail" }));
    expect(onOpen).toHaveBeenCalledWith("mail");
    expect(screen.queryByRole("button", { name: "What is in End" })).toBeNull();
    list.unmount();
    await show(<StepList {...within} run={aRun([step])} onOpen={onOpen} opened={new Set(["mail"])} />);
    expect(await screen.findByText("Entry 2")).toBeTruthy();
    expect(screen.getByRole("button", { name: "What is in Mail" }).getAttribute("aria-expanded")).toBe("true");
  });

  it("are the steps of a sub-run, with a way to it; or the calls of an agent", async () => {
    expect(callsOf([{ id: "1", tool: "send_mail", status: "denied" }] as Call[])).toMatchObject([
      { label: "Send mail", status: { label: "Denied" } },
    ]);
    serve({ "GET /api/v1/runs/run_2": () => aRun([aDoneStep("count_boxes", 0, 1)], { id: "run_2" }) });
    const step = aStep("inner", { kind: "workflow", status: "running", child: "run_2" });
    await show(<StepList {...within} run={aRun([step])} onOpen={() => {}} opened={new Set(["inner"])} />);
    expect(await screen.findByText("Count boxes")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Open the sub-run" }).getAttribute("href")).toBe("/runs/run_2");
  });

  it("makes its card higher, and nothing overlaps", () => {
    const steps = [aStep("a"), aStep("b", { elements: { done: 0, running: 0, total: 3 } }), aStep("c")];
    const opened = planOf(aRun(steps), [], [], new Set(["b"]));
    for (const direction of ["LR", "TB"] as const) {
      const { places } = arrange(opened, direction);
      const boxes = [...boxesOf(opened.nodes, places).values()];
      for (const [i, a] of boxes.entries())
        for (const b of boxes.slice(i + 1))
          expect(
            a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
            `${direction}: ${JSON.stringify([a, b])}`,
          ).toBe(true);
      expect(Math.max(...boxes.map((box) => box.height))).toBeGreaterThan(200);
    }
  });
});

describe("facts of a step", () => {
  it("durations, tries, entries, revisions and cost", () => {
    const step = aDoneStep("a", 0, 4, {
      try: 3,
      revision: 1,
      elements: { done: 2, running: 1, total: 12 },
      usage: { cost_usd: "0.0375" },
    });
    expect(words(factsOf(step, [], start))).toEqual(["2 of 12", "4 s", "try 3", "revision 1", "$0.0375"]);
  });
  it("who is waited for", () => {
    const step = aStep("check", { status: "waiting" });
    expect(words(factsOf(step, [anApproval()], start))).toEqual(["for Tax team"]);
    const begun = { ...step, started_at: at(0) };
    expect(words(factsOf(begun, [anApproval({ requested_at: at(3) })], start + 9000))).toEqual(["for Tax team", "6 s"]);
    expect(words(factsOf(aDoneStep("pay", 0, 70, { waited_ms: 60_000, worked_ms: 10_000 }), [], start))).toEqual([
      "10 s",
      "waited 1 min",
    ]);
    // Asked before it started: nothing of its own time was waiting.
    const asked = aDoneStep("pay", 0, 2, { waited_ms: 38_000, worked_ms: 2000 });
    expect(words(factsOf(asked, [], start))).toEqual(["2 s", "waited 38 s"]);
    expect(words(factsOf(step, [anApproval(), anApproval({ id: "2" })], start))).toEqual(["2 decisions"]);
  });
});

describe("the timeline", () => {
  it("can be read: work, and waits with names", async () => {
    const run = aRun([aDoneStep("check", 0, 8)], { ended_at: at(20), status: "cancelled" });
    await show(<Timeline run={run} approvals={[anApproval({ requested_at: at(8) })]} onSelect={() => {}} />);
    expect(screen.getByRole("button", { name: /Check/ }).textContent?.replaceAll("\u00a0", " ")).toContain(
      "Waited 12 s for Tax team",
    );
  });
  it("names the colours that are there, and only those", async () => {
    const going = aRun([
      aStep("check", { status: "running", started_at: at(0) }),
      aDoneStep("send", 0, 1, { status: "failed" }),
    ]);
    await show(<Timeline run={going} now={start + 9000} onSelect={() => {}} />);
    expect(screen.getByText("Running")).toBeTruthy();
    expect(screen.getByText("Failed try")).toBeTruthy();
    expect(screen.queryByText("Waiting for people")).toBeNull();
    expect(screen.queryByText("Work")).toBeNull();
  });
  it("says that nothing has begun", async () => {
    await show(<Timeline run={aRun([aStep("a")])} onSelect={() => {}} />);
    expect(screen.getByText("Nothing has started yet.")).toBeTruthy();
  });
});

describe("the steps of a run", () => {
  const draw = (gates: Gate[] | undefined) =>
    show(<RunGraph run={aRun([aStep("collect")])} gates={gates} onSelect={() => {}} />);
  it("are not drawn before the gates are known, which would move them", async () => {
    localStorage.setItem("assent.graph.view", "list");
    await draw(undefined);
    expect(await screen.findByRole("status", { name: "Loading" })).toBeTruthy();
    expect(screen.queryByText("Collect")).toBeNull();
    cleanup();
    await draw([]);
    expect(await screen.findByText("Collect")).toBeTruthy();
    localStorage.clear();
  });
});
