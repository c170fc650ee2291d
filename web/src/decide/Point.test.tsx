import { screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { rawOf } from "../json";
import { Server, show, someApproval } from "./testing";

afterEach(() => void vi.unstubAllGlobals());

const layer = (data: unknown) =>
  someApproval({
    reason: "loop",
    so_far: "Workflow release.\n- build: done",
    action: { ...someApproval().action, type: "layer" },
    show: rawOf(data),
  });

const section = (title: string) => within(screen.getByText(title).closest("section") as HTMLElement);

it("draws what was done, the advice and what is next", async () => {
  await show(
    new Server(
      layer({
        done: [{ step: "build", by: "agent worker", status: "failed", error: "no disk" }],
        next: [
          {
            step: "deploy_all",
            by: "agent deployer",
            risk: "critical",
            input: { artifact: "a.tgz" },
            gates: ["Sure?"],
          },
        ],
        later: ["tidy_up"],
        would_skip: ["docs"],
        advice: { agent: "adviser", action: "ask", reasoning: "the branch looks unusual" },
      }),
    ),
  );
  expect(section("What was done").getByText("no disk")).toBeTruthy();
  const next = section("What is next");
  expect(next.getByText("Deploy all")).toBeTruthy();
  expect(next.getByText("Agent deployer")).toBeTruthy();
  expect(next.getByText("Critical risk")).toBeTruthy();
  expect(next.getByText("a.tgz")).toBeTruthy();
  expect(next.getByText(/Asks again before it starts/).textContent).toContain("Sure?");
  expect(next.getByText(/^Later/).textContent).toContain("Tidy up");
  expect(next.getByText(/^Skipped if the run continues/).textContent).toContain("Docs");
  const advice = section("Advice of the agent in the loop");
  expect(advice.getByText("the branch looks unusual")).toBeTruthy();
  expect(advice.getByText("Ask people")).toBeTruthy();
  expect(screen.queryByText("The run so far")).toBeNull();
  expect(screen.queryByText("Summary")).toBeNull();
});

it("shows the summary that an agent wrote, its hidden characters, and how many steps are left out", async () => {
  await show(
    new Server(
      layer({
        done: [{ step: "build", by: "agent worker", status: "done" }],
        next: [{ step: "deploy", by: "agent deployer" }],
        later: ["tidy_up"],
        would_skip: ["docs"],
        done_left_out: 1,
        next_left_out: 1,
        later_left_out: 2,
        would_skip_left_out: 3,
        summary: "All tests passed.\n\nDeploy\u202enow",
        summary_by: "reporter",
      }),
    ),
  );
  const summary = screen.getByText("By Reporter").closest("section") as HTMLElement;
  expect(summary.textContent).toContain("All tests passed.");
  expect(summary.textContent).not.toContain("\u202e");
  expect(section("What was done").getByText("and 1 earlier step")).toBeTruthy();
  const next = section("What is next");
  expect(next.getByText("and 1 step more")).toBeTruthy();
  expect(next.getByText(/^Later/).textContent).toBe("Later: Tidy up and 2 more");
  expect(next.getByText(/^Skipped/).textContent).toContain("Docs and 3 more");
});

it("shows the summary where there is no such data", async () => {
  await show(new Server(layer({ done: "a sentence" })));
  expect(screen.getByText("The run so far")).toBeTruthy();
});
