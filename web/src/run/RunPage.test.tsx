import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { problem, serve, visit } from "../../test/page";
import type { RunSummary } from "../api/types";
import { aDoneStep, anApproval, aRun, aStep } from "../graph/testing";
import { RunPage } from "./RunPage";

const list = (items: unknown[] = []) => ({ items, next_cursor: "", total: items.length });
const me = { name: "ann", kind: "person", local: true, roles: [], permissions: ["view", "start", "command"] };
/** As the server sends them: free values are plain JSON there. */
const sent = (value: unknown) =>
  JSON.stringify(value).replaceAll(/\{"\$json":"((?:[^"\\]|\\.)*)"\}/g, (_, text) => JSON.parse(`"${text}"`));

const answers = {
  "GET /api/v1/me": () => me,
  "GET /api/v1/approvals": () => list(),
  "GET /api/v1/deliverables": () => list(),
  "GET /api/v1/runs": () => list(),
  "GET /api/v1/runs/run_1/events": () => list(),
};

/** Windows of this width. */
const wide = (px: number) =>
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: px <= Number(/\d+/.exec(query)?.[0]),
    addEventListener: () => {},
    removeEventListener: () => {},
  }));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  history.replaceState(null, "");
});

describe("a run that is not there", () => {
  it("leads on to the runs, and names no commands", async () => {
    const hint = "check the id; the list of runs (assent runs) has those that you may see";
    serve({ ...answers, "GET /api/v1/runs/run_x": () => problem(404, "not_found", { hint }) });
    visit(RunPage, "/runs/$id", "/runs/run_x");
    expect((await screen.findByRole("link", { name: "To the runs" })).getAttribute("href")).toBe("/runs");
    expect(screen.getByText("Run not found")).toBeTruthy();
    expect(document.body.textContent).not.toContain("assent runs");
  });
  it("because of something else can be tried again", async () => {
    let asked = 0;
    serve({
      ...answers,
      "GET /api/v1/runs/run_1": () =>
        asked++ === 0 ? problem(403, "forbidden", { title: "Not for you" }) : sent(aRun([])),
    });
    visit(RunPage, "/runs/$id", "/runs/run_1");
    fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("heading", { name: "Month end" })).toBeTruthy();
  });
});

describe("a step on a phone", () => {
  const shown = (address: string) => {
    wide(390);
    serve({
      ...answers,
      "GET /api/v1/runs/run_1": () => sent(aRun([aDoneStep("load_file", 0, 1), aStep("send_mail")])),
    });
    return visit(RunPage, "/runs/$id", address);
  };
  it("is a step that Back takes back, and so does closing it", async () => {
    const back = vi.spyOn(history, "back").mockImplementation(() => {});
    const page = shown("/runs/run_1");
    fireEvent.click(await screen.findByRole("button", { name: /Load file/ }));
    const close = await screen.findByRole("button", { name: "Close" });
    expect(page.address()).toBe("/runs/run_1?step=load_file");
    fireEvent.click(close);
    fireEvent.click(close); // impatient
    expect(back).toHaveBeenCalledTimes(1);
    act(() => page.go(-1)); // what the browser does then
    await waitFor(() => expect(screen.queryByRole("button", { name: "Close" })).toBeNull());
    expect(page.address()).toBe("/runs/run_1");
  });
  it("that was opened by its address closes without leaving", async () => {
    const back = vi.spyOn(history, "back").mockImplementation(() => {});
    const page = shown("/runs/run_1?step=load_file");
    fireEvent.click(await screen.findByRole("button", { name: "Close" }));
    await waitFor(() => expect(page.address()).toBe("/runs/run_1"));
    expect(back).not.toHaveBeenCalled();
  });
});

describe("a run that waits for its sub-runs", () => {
  const summary = (id: string, parent: string, pending: number) =>
    ({ id, parent, pending, status: "waiting" }) as RunSummary;
  it("shows what they ask, however deep", async () => {
    wide(1440);
    const below: Record<string, unknown[]> = {
      run_1: [summary("run_1.2", "run_1", 0), summary("run_1.1", "run_1", 1)],
      "run_1.2": [summary("run_1.2.1", "run_1.2", 1)],
    };
    const open: Record<string, unknown> = {
      "run_1.1": anApproval({ id: "apr_1", run: "run_1.1", workflow: "note", title: "Keep it?" }),
      "run_1.2.1": anApproval({ id: "apr_2", run: "run_1.2.1", workflow: "deep-one", title: "Go down?" }),
    };
    const run = aRun([aStep("inner", { kind: "workflow", status: "running", child: "run_1.1" })], {
      status: "waiting",
    });
    const asked = serve({
      ...answers,
      "GET /api/v1/runs/run_1": () => sent(run),
      "GET /api/v1/runs": ({ query }) => list(below[query.get("parent") ?? ""]),
      "GET /api/v1/approvals": ({ query }) =>
        sent(
          list(query.get("status") === "pending" && open[query.get("run") ?? ""] ? [open[query.get("run") ?? ""]] : []),
        ),
    });
    visit(RunPage, "/runs/$id", "/runs/run_1");
    expect(await screen.findByText("Waits for 2 decisions in sub-runs. Nothing runs until then.")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Keep it?" }).getAttribute("href")).toBe("/approvals/apr_1");
    expect(screen.getByRole("link", { name: "In the sub-run Deep one" })).toBeTruthy();
    // Who asks nobody is looked into, who asks somebody is asked what.
    const parents = asked.filter((a) => a.path === "/api/v1/runs").map((a) => a.query.get("parent"));
    expect(parents).toEqual(["run_1", "run_1.2"]);
  });
});
