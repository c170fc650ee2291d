import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Approval, Call, Run, Step } from "../api/types";
import { aDoneStep, anApproval, aRun, aStep, at, serve, show } from "../graph/testing";
import { rawOf } from "../json";
import { setUndo } from "../lib/undo";
import { Pending } from "../pending/Pending";
import { Calls } from "./Calls";
import { CommandDialogs } from "./CommandDialogs";
import { Failure } from "./Failure";
import { Limits } from "./Limits";
import { RunLead, RunNumbers } from "./RunHead";
import { Tries } from "./Tries";
import { Warnings } from "./Warnings";

const failed = (error: Partial<NonNullable<Run["error"]>> = {}) =>
  aRun([aStep("pay", { status: "failed" })], {
    status: "failed",
    ended_at: at(9),
    error: { code: "failed", message: "The bank said no", step: "pay", step_index: 2, step_count: 4, ...error },
  });

describe("a failure", () => {
  it("comes with message, place, stack, input and what to do", async () => {
    const onSelect = vi.fn();
    const run = failed({
      stack: "at pay (bank.py:17)",
      input: rawOf({ sum: 1 }),
      body: "503",
      agent: "banker",
      try: 3,
    });
    await show(<Failure run={run} onFork={() => {}} onRaise={() => {}} onSelect={onSelect} />);
    for (const text of ["The bank said no", "at pay (bank.py:17)", "503"]) expect(screen.getByText(text)).toBeTruthy();
    expect(screen.getByLabelText("Failure").textContent).toContain("(step 2 of 4), by Banker, try 3");
    for (const name of [/Resume/, /Run again/, /Fork/]) expect(screen.getByRole("button", { name })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Pay" }));
    expect(onSelect).toHaveBeenCalledWith("pay");
  });
  it("of a sub-run leads there", async () => {
    await show(
      <Failure run={failed({ child: { run: "run_1.1" } })} onFork={() => {}} onRaise={() => {}} onSelect={() => {}} />,
    );
    expect(screen.getByRole("link", { name: "the sub-run" }).getAttribute("href")).toBe("/runs/run_1.1");
  });
  it("by a limit is resumed with a higher one", async () => {
    const onRaise = vi.fn();
    await show(
      <Failure
        run={aRun([], { status: "limit_reached", ended_at: at(1) })}
        onFork={() => {}}
        onRaise={onRaise}
        onSelect={() => {}}
      />,
    );
    expect(screen.getByText(/A limit on time/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Resume/ })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Raise the limit" }));
    expect(onRaise).toHaveBeenCalled();
  });
  it("by a limit asks for the new one, as the server takes it", async () => {
    const server = serve({ "POST /api/v1/runs/run_1/resume": () => aRun([]) });
    const limits: Step["limits"] = [{ limit: "iterations", used: "5", max: "5", percent: 100 }];
    const run = aRun([aStep("study", { limits })], {
      status: "limit_reached",
      error: { code: "limit_reached", message: "Researcher has used up its turns", step: "study", agent: "researcher" },
    });
    await show(<CommandDialogs run={run} asked={{ type: "raise" }} onClose={() => {}} />);
    expect(screen.getByRole("button", { name: "Raise and resume" }).hasAttribute("disabled")).toBe(true);
    expect(screen.queryByLabelText(/Cost/)).toBeNull();
    fireEvent.change(screen.getByLabelText("Turns of the model: new limit"), { target: { value: "40" } });
    fireEvent.click(screen.getByRole("button", { name: "Raise and resume" }));
    await waitFor(() => expect(server.asked.map((a) => a.text)).toContain('{"limits":{"iterations":40}}'));
  });
  it.each([
    [
      "who may command and start",
      ["view", "command", "start"],
      "bob",
      ["Resume from here", "Run again", "Fork with edits"],
    ],
    ["a reviewer", ["view", "comment"], "rob", []],
    ["its owner without a role", ["view"], "ann", ["Resume from here"]],
    ["who may command, not start", ["view", "command"], "bob", ["Resume from here"]],
  ])("offers %s only what they may do", async (_, permissions, name, offered) => {
    serve({ "GET /api/v1/me": () => ({ name, kind: "person", local: false, roles: [], permissions }) });
    await show(<Failure run={failed()} onFork={() => {}} onRaise={() => {}} onSelect={() => {}} />);
    const all = ["Resume from here", "Run again", "Fork with edits"];
    await waitFor(() =>
      expect(all.filter((button) => screen.queryByRole("button", { name: button }))).toEqual(offered),
    );
  });
  it("with a long message says the first line, and all of it to whoever asks", async () => {
    const stack = Array.from({ length: 40 }, (_, i) => `    at f${i} (/srv/app/file${i}.js:${i})`).join("\n");
    const message = `TypeError: x is undefined\n${stack}`;
    await show(<Failure run={failed({ message })} onFork={() => {}} onRaise={() => {}} onSelect={() => {}} />);
    expect(screen.getByText("TypeError: x is undefined").className).toContain("font-semibold");
    expect(screen.getByLabelText("Failure").textContent).not.toContain("at f0");
    fireEvent.click(screen.getByRole("button", { name: "Show all 41 lines" }));
    expect(screen.getByLabelText("Failure").querySelector("pre")?.textContent).toContain("at f39");
    fireEvent.click(screen.getByRole("button", { name: "Show less" }));
    expect(screen.getByLabelText("Failure").querySelector("pre")).toBeNull();
  });
  it("that is none shows nothing", async () => {
    const { container } = await show(
      <Failure run={aRun([])} onFork={() => {}} onRaise={() => {}} onSelect={() => {}} />,
    );
    expect(container.textContent).toBe("");
  });
});

describe("the head", () => {
  it("says where a run comes from and that it is a rehearsal", async () => {
    await show(
      <RunLead
        run={aRun([], {
          test_mode: true,
          subject: "Refund 20 EUR to Ann",
          parent: "run_0",
          retry_of: "run_9",
          forked_from: "run_8",
        })}
      />,
    );
    expect(screen.getByText("Test")).toBeTruthy();
    expect(screen.getByText("Refund 20 EUR to Ann")).toBeTruthy();
    expect(screen.getByRole("link", { name: "part of another run" }).getAttribute("href")).toBe("/runs/run_0");
    expect(screen.getByRole("link", { name: "repeats an earlier run" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "forked from another run" })).toBeTruthy();
  });
  it("each number says how it is made", async () => {
    const run = aRun([], {
      usage: { llm_calls: 2, tokens_in: 900, tokens_out: 350, cost_usd: "0.0375" },
      progress: { done: 2, total: 3, percent: 66, eta_s: 4 },
    });
    await show(<RunNumbers run={run} approvals={[]} events={[]} />);
    expect(screen.getByText("$0.0375")).toBeTruthy();
    expect(screen.getByText(/about 4/)).toBeTruthy();
    for (const name of ["Progress", "Waiting", "Left", "Cost", "Model calls", "Tokens"])
      expect(screen.getByRole("button", { name: new RegExp(`^${name}: .+\\.$`) })).toBeTruthy();
  });
  it("tells work and waits apart, and has one time where nobody waited", async () => {
    const times = async (...steps: Step[]) => {
      const run = aRun(steps, { status: "completed", ended_at: at(70) });
      const { container, unmount } = await show(<RunNumbers run={run} approvals={[]} events={[]} />);
      const figures = [...container.querySelectorAll("dl > div")].map((f) => f.textContent?.replaceAll("\u00a0", " "));
      unmount();
      return figures.filter((f) => /^(Time|Working|Waiting)/.test(f ?? ""));
    };
    expect(await times(aDoneStep("a", 0, 4), aDoneStep("b", 2, 6), aDoneStep("c", 66, 70))).toEqual([
      "Working10 s",
      "Waiting1 min",
    ]);
    expect(await times(aDoneStep("a", 0, 70))).toEqual(["Time1 min 10 s"]);
  });
  it("warnings are visible", async () => {
    const onSelect = vi.fn();
    await show(
      <Warnings
        warnings={[
          { code: "step_failed", path: "steps.send_mail", message: "No such address" },
          { code: "large_output", path: "steps.pay.with.sum", message: "was cut" },
          { code: "missing_field", path: "output.sum", message: "the output gets no sum" },
        ]}
        onSelect={onSelect}
      />,
    );
    const told = screen.getByLabelText("Warnings");
    expect(told.textContent).toBe(
      "The step Send mail failedNo such addressAt the step Paywas cutthe output gets no sum",
    );
    fireEvent.click(screen.getByRole("button", { name: "The step Send mail failed" }));
    expect(onSelect).toHaveBeenCalledWith("send_mail");
  });
});

describe("limits", () => {
  it.each([
    [10, "bg-accent"],
    [80, "bg-warn-fill"],
    [100, "bg-bad-fill"],
  ])("at %d percent", async (percent, colour) => {
    const { container } = await show(<Limits limits={[{ limit: "cost_usd", used: "4", max: "5", percent }]} />);
    expect(screen.getByRole("meter").getAttribute("aria-valuetext")).toBe("$4.00 of $5.00");
    expect(container.querySelector(".meter-fill")?.className).toContain(colour);
  });

  it("of time pass while the agent works, and stand still after that", async () => {
    vi.useFakeTimers();
    try {
      const meter = { limit: "duration", used: "18s", max: "1m0s", percent: 30 } as const;
      const since = new Date(Date.now() - 18_000).toISOString();
      const shown = () => {
        const one = screen.getByRole("meter");
        return [
          one.getAttribute("aria-valuetext")?.replaceAll("\u00a0", " "),
          Number(one.getAttribute("aria-valuenow")),
        ];
      };
      const { unmount } = await show(<Limits limits={[{ ...meter, since }]} />);
      expect(shown()).toEqual(["18 s of 1 min", 30]);
      await act(() => vi.advanceTimersByTimeAsync(32_000));
      expect(shown()).toEqual(["50 s of 1 min", 83]);
      unmount();
      await show(<Limits limits={[meter]} />);
      await act(() => vi.advanceTimersByTimeAsync(5000));
      expect(shown()).toEqual(["18 s of 1 min", 30]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("tool calls", () => {
  const call = (change: Partial<Call>): Call => ({
    id: "c1",
    tool: "write_file",
    does: "Write a.csv",
    args: rawOf({ path: "a.csv" }),
    status: "done",
    asked_at: at(0),
    started_at: null,
    ended_at: null,
    ...change,
  });
  it.each([
    ["asked", "Asked for"],
    ["running", "Running"],
    ["done", "Done"],
    ["failed", "Failed"],
    ["denied", "Denied"],
    ["some_new", "Some new"],
  ])("%s is told as %s", async (status, word) => {
    await show(<Calls calls={[call({ status, error: status === "denied" ? "bob said no" : undefined })]} />);
    expect(screen.getByText(word)).toBeTruthy();
    if (status !== "some_new") expect(screen.getByText(word).parentElement?.title).toMatch(/\.$/);
    if (status === "denied") expect(screen.getByText("bob said no")).toBeTruthy();
  });
});

describe("tries", () => {
  it("tell their errors, and two outputs are compared", async () => {
    await show(
      <Tries
        tries={[
          { try: 1, started_at: at(0), ended_at: at(1), error: { code: "failed", message: "timed out" } },
          { try: 2, started_at: at(2), ended_at: at(3), output: rawOf({ sum: 1 }) },
          { try: 1, revision: 1, started_at: at(4), ended_at: at(5), output: rawOf({ sum: 2 }) },
        ]}
      />,
    );
    expect(screen.getByText("timed out")).toBeTruthy();
    expect(screen.getAllByText("Revision 1, try 1").length).toBeGreaterThan(0);
    expect(screen.getByText("changed")).toBeTruthy();
  });
});

describe("open decisions", () => {
  beforeEach(() => setUndo(false)); // that they are held is tested where they are held, in decide
  const approve = async () => {
    const button = screen.getByRole("button", { name: /Approve/ });
    await waitFor(() => expect(button).toHaveProperty("disabled", false)); // known that the run has made nothing
    fireEvent.click(button);
  };
  it("say what is decided before the answers", async () => {
    await show(<Pending approvals={[anApproval()]} />);
    const what = screen.getByText("What is approved");
    const answer = screen.getByRole("button", { name: /Approve/ });
    expect(what.compareDocumentPosition(answer) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });
  it("of sub-runs are decided here, too, and lead there", async () => {
    const server = serve({ "POST /api/v1/approvals/apr_7/decisions": () => anApproval({ status: "approved" }) });
    const approval = anApproval({ id: "apr_7", run: "run_1.1.2", workflow: "pay-out", version: 4 });
    await show(<Pending approvals={[]} below={{ items: [{ approval, child: "run_1.1" }], total: 3 }} />);
    expect(screen.getByRole("link", { name: "In the sub-run Pay out" }).getAttribute("href")).toBe("/runs/run_1.1.2");
    expect(screen.getByRole("link", { name: /^2 more in other sub-runs/ }).getAttribute("href")).toBe("/inbox");
    await approve();
    await waitFor(() => expect(server.asked[0]?.body).toMatchObject({ act: "approve", version: 4 }));
  });
  it("between layers say what would change about the plan, by names", async () => {
    const loop = (proposed: unknown) => anApproval({ reason: "loop", step: "", proposed: rawOf(proposed) });
    const { unmount } = await show(<Pending approvals={[loop({ inject_steps: [], skip_steps: [] })]} />);
    expect(screen.getByText(/The plan does not change/)).toBeTruthy();
    expect(screen.queryByText(/empty list|What is approved/)).toBeNull();
    unmount();
    await show(<Pending approvals={[loop({ inject_steps: [], skip_steps: ["send_mail"] })]} />);
    const told = screen.getByLabelText("Open decisions").textContent;
    expect(told).toContain("What is approvedSteps to leave outSend mail");
    expect(told).not.toMatch(/Steps to add|empty list/);
  });
  it("say which steps would be added, by names", async () => {
    const inject_steps = [{ id: "rates_mirror", agent: "mirror", needs: [], replaces: "rates_bank" }];
    const proposed = rawOf({ inject_steps, skip_steps: [] });
    await show(<Pending approvals={[anApproval({ reason: "loop", step: "", proposed })]} />);
    const told = screen.getByLabelText("Open decisions").textContent;
    expect(told).toMatch(/Steps to add.*StepRates mirror.*Waits fornothing.*Agentmirror.*ReplacesRates bank/);
    expect(told).not.toMatch(/inject|empty list/i);
  });
  it("are approved with the version that was shown", async () => {
    const server = serve({ "POST /api/v1/approvals/apr_1/decisions": () => anApproval({ status: "approved" }) });
    await show(<Pending approvals={[anApproval({ version: 3 })]} />);
    await approve();
    await waitFor(() => expect(server.asked.length).toBe(1));
    expect(server.asked[0]?.body).toMatchObject({ act: "approve", version: 3 });
  });
  it("are rejected only with a reason", async () => {
    const server = serve({ "POST /api/v1/approvals/apr_1/decisions": () => anApproval({ status: "rejected" }) });
    await show(<Pending approvals={[anApproval()]} />);
    fireEvent.click(screen.getByRole("button", { name: /Reject/ }));
    expect(screen.getByRole("button", { name: "Reject" })).toHaveProperty("disabled", true);
    fireEvent.change(screen.getByLabelText(/Why/), { target: { value: "too high" } });
    fireEvent.click(screen.getByRole("button", { name: "Reject" }));
    await waitFor(() => expect(server.asked[0]?.body).toMatchObject({ act: "reject", comment: "too high" }));
  });
  it("keep a reason that is being written when somebody else decides, and say so", async () => {
    let settle = () => {};
    function Run() {
      const [approvals, set] = useState([anApproval()]);
      settle = () => set([settled]);
      return <Pending approvals={approvals} />;
    }
    const outcome = { status: "approved", act: "approve", by: "maria", at: new Date().toISOString() };
    const settled = anApproval({ status: "approved", version: 2, acts: [], outcome } as Partial<Approval>);
    await show(<Run />);
    fireEvent.click(screen.getByRole("button", { name: /Reject/ }));
    fireEvent.change(screen.getByLabelText(/Why/), { target: { value: "too high for Q3" } });
    act(settle);
    expect(screen.getByRole("alert").textContent).toContain("maria approved this. Your reason was not sent.");
    expect(screen.getByLabelText<HTMLTextAreaElement>(/Why/).value).toBe("too high for Q3");
    expect(screen.getByRole("button", { name: "Reject" })).toHaveProperty("disabled", true);
    fireEvent.click(screen.getByRole("button", { name: "Discard" }));
    expect(screen.queryByRole("region", { name: "Open decisions" })).toBeNull();
  });
  it("a critical one has to be opened, and several are looked at first", async () => {
    await show(<Pending approvals={[anApproval({ risk: { level: "critical" } }), anApproval({ id: "apr_2" })]} />);
    expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
    expect(screen.getByRole("link", { name: /Open to decide/ })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Look and decide" }));
    expect(screen.getByText("What is approved")).toBeTruthy();
    expect(screen.getByRole("button", { name: /Approve/ })).toBeTruthy();
  });
  it("a conflict is told", async () => {
    const problem = { code: "already_decided", title: "Already decided", detail: "Maria rejected it", status: 409 };
    serve({ "POST /api/v1/approvals/apr_1/decisions": () => new Response(JSON.stringify(problem), { status: 409 }) });
    await show(<Pending approvals={[anApproval()]} />);
    await approve();
    expect(await screen.findByText("Maria rejected it")).toBeTruthy();
  });
});

describe("cancelling", () => {
  it("sends the reason, and problems are shown in words", async () => {
    const problem = { code: "conflict", title: "Too late", detail: "the run has ended", hint: "reload", status: 409 };
    const server = serve({
      "POST /api/v1/runs/run_1/commands": () => new Response(JSON.stringify(problem), { status: 409 }),
    });
    const onClose = vi.fn();
    await show(
      <CommandDialogs run={aRun([], { pending_approvals: ["a"] })} asked={{ type: "cancel" }} onClose={onClose} />,
    );
    expect(screen.getByText(/1 open decision closes with it/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText("Why?"), { target: { value: "wrong month" } });
    fireEvent.click(screen.getByRole("button", { name: "Cancel the run" }));
    expect(await screen.findByText("the run has ended")).toBeTruthy();
    expect(server.asked[0]?.body).toEqual({ type: "cancel", reason: "wrong month" });
    expect(onClose).not.toHaveBeenCalled();
  });

  it("asks for another plan in place of a failed step, only if there is one", async () => {
    const server = serve({ "POST /api/v1/runs/run_1/commands": () => ({ seq: 9 }) });
    await show(<CommandDialogs run={aRun([aStep("pay", {})])} asked={{ type: "replan" }} onClose={() => {}} />);
    expect(screen.queryByText("In place of a failed step")).toBeNull();
    cleanup();
    await show(
      <CommandDialogs run={aRun([aStep("pay", { status: "failed" })])} asked={{ type: "replan" }} onClose={() => {}} />,
    );
    fireEvent.change(screen.getByLabelText("What has to be achieved as well?"), { target: { value: "pay by card" } });
    fireEvent.click(screen.getByRole("combobox", { name: "In place of a failed step" }));
    fireEvent.click(await screen.findByRole("option", { name: "Pay" }));
    fireEvent.click(screen.getByRole("button", { name: "Ask" }));
    await waitFor(() =>
      expect(server.asked.at(-1)?.body).toEqual({ type: "replan", requirement: "pay by card", replaces: "pay" }),
    );
  });
});
