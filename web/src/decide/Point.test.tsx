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
});

it("shows the summary where there is no such data", async () => {
  await show(new Server(layer({ done: "a sentence" })));
  expect(screen.getByText("The run so far")).toBeTruthy();
});
