import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { above } from "../api/below";
import type { RunSummary } from "../api/types";
import { anApproval, aRun, aStep, at, serve, show } from "../graph/testing";
import { rawOf } from "../json";
import { BulkCancel } from "./BulkCancel";
import { about, waiting } from "./columns";
import { Filters, FiltersButton } from "./Filters";
import { builtIn, chosenOf, filterOf, isFiltered, loadViews, saveViews, searchOf, shows, today } from "./filter";
import { labelsOf, StartRun } from "./StartRun";
import { goesOn, useFailed } from "./useFailed";

const summary = (change: Partial<RunSummary> = {}): RunSummary => ({
  id: "run_1",
  workflow: "month-end",
  version: 1,
  status: "running",
  owner: "ann",
  progress: { done: 1, total: 2, percent: 50, eta_s: null },
  pending: 0,
  cost_usd: "0",
  error: null,
  seq: 1,
  started_at: at(0),
  updated_at: at(0),
  ended_at: null,
  parent: null,
  retry_of: null,
  forked_from: null,
  ...change,
});

const me = { name: "ann", kind: "person", local: true, roles: [], permissions: ["start", "view"] };

describe("filters in the address", () => {
  it("come back as they went, without what nobody knows", () => {
    const search = {
      q: "Ann",
      status: "waiting,failed",
      workflow: "refund",
      owner: "ann",
      label: "team:it,a:b",
      since: "today",
    };
    expect(searchOf(chosenOf(search))).toEqual(search);
    expect(chosenOf({ status: "waiting,made_up", since: "ever" })).toMatchObject({ status: ["waiting"], since: "" });
    expect(filterOf(chosenOf({}))).toEqual({ limit: 100 });
    expect(filterOf(chosenOf(search))).toMatchObject({
      q: "Ann",
      status: ["waiting", "failed"],
      label: ["team:it", "a:b"],
    });
  });
  it("views are recognised and kept", () => {
    expect(isFiltered(chosenOf({}))).toBe(false);
    expect(builtIn.map((v) => v.name)).toEqual(["All", "Needs people", "Running", "Failed today"]);
    expect(builtIn.filter((v) => shows(v, chosenOf({ status: "running" }))).map((v) => v.name)).toEqual(["Running"]);
    saveViews([{ name: "Mine", search: { owner: "ann" } }]);
    expect(loadViews()).toEqual([{ name: "Mine", search: { owner: "ann" } }]);
    localStorage.setItem("assent.runs.views", "[{]");
    expect(loadViews()).toEqual([]);
    localStorage.setItem("assent.runs.views", '[null,{"name":1}]');
    expect(loadViews()).toEqual([]);
  });
  it("today begins at midnight here", () => {
    expect(today(new Date(2026, 10, 15, 23, 59))).toBe(new Date(2026, 10, 15).getTime());
  });
});

describe("a row", () => {
  it("says what a run is about, failures first", () => {
    expect(about(summary({ error: "no money", labels: { a: "b" } }), [])).toMatchObject({
      text: "no money",
      tone: "bad",
    });
    const long = `TypeError: x\n${"at y\n".repeat(40)}`;
    expect(about(summary({ error: long }), [])).toEqual({ text: "TypeError: x", title: long, tone: "bad" });
    expect(about(summary({ labels: { client: "Nordlys" }, parent: "run_0" }), [anApproval()]).text).toBe(
      "Sub-run · Look at the figures · client: Nordlys",
    );
    expect(about(summary(), []).text).toBe("");
    expect(about(summary(), [anApproval({ run: "run_1.1.2" })]).text).toBe("In a sub-run: Look at the figures");
    expect(about(summary(), [], "the step A failed")).toMatchObject({ text: "But the step A failed", tone: "warn" });
  });
  it("and who it waits for", () => {
    expect(waiting(summary(), [anApproval(), anApproval({ assignees: ["bob"], role: "" })])).toBe("Tax team, bob");
    expect(waiting(summary(), [anApproval({ role: "" })])).toBe("anyone");
    expect(waiting(summary({ pending: 2 }), [])).toBe("2 open decisions");
    expect(waiting(summary(), [])).toBe("");
  });
});

describe("what failed in a run that went on", () => {
  const Failed = ({ run }: { run: RunSummary }) => <p>told: {useFailed(run) || "nothing"}</p>;
  const document = (version: number, definition: object) => ({
    id: `w${version}`,
    name: "month-end",
    version,
    published: true,
    digest: "",
    by: "",
    at: at(0),
    yaml: "",
    definition,
  });
  const server = (published: object, older?: object) =>
    serve({
      "GET /api/v1/me": () => me,
      "GET /api/v1/workflows": () => ({ items: [document(2, published)], next_cursor: "", total: 1 }),
      "GET /api/v1/workflows/month-end/versions/1": () => document(1, older ?? {}),
      "GET /api/v1/runs/run_1": () => ({
        ...aRun([aStep("load_file", { status: "failed" }), aStep("b", { status: "done" })], { status: "completed" }),
        input: {},
        context: {},
      }),
    });
  it("is told where the workflow goes on after failures", async () => {
    server({ stop_on_error: false });
    await show(<Failed run={summary({ status: "completed", version: 2 })} />);
    expect(await screen.findByText("told: the step Load file failed")).toBeTruthy();
  });
  it("counts as in the version that the run is bound to", async () => {
    server({}, { loops: { agent: { agent: "x", at: "on_error" } } });
    await show(<Failed run={summary({ status: "completed", version: 1 })} />);
    expect(await screen.findByText("told: the step Load file failed")).toBeTruthy();
  });
  it.each([
    [true, { stop_on_error: false }],
    [true, { loops: { agent: { agent: "x", at: "on_error" } } }],
    [false, { stop_on_error: true }],
    [false, { loops: { agent: { agent: "x", at: "per_layer" }, human: "always" } }],
    [false, {}],
  ])("is asked for: %s with %j", (asked, definition) => expect(goesOn(rawOf(definition))).toBe(asked));
});

describe("runs above a sub-run", () => {
  it.each([
    ["run_a", []],
    ["run_a.1", ["run_a"]],
    ["run_a.1.12", ["run_a.1", "run_a"]],
  ])("%s", (id, runs) => expect(above(id)).toEqual(runs));
});

describe("filters on a phone", () => {
  it("are behind a button that says how many narrow the list", async () => {
    const onOpen = vi.fn();
    await show(<FiltersButton chosen={chosenOf({ status: "failed", owner: "ann" })} open={false} onOpen={onOpen} />);
    const button = screen.getByRole("button", { name: "Filters (2)" });
    expect(button.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(button);
    expect(onOpen).toHaveBeenCalled();
  });
  it("are folded until somebody opens them", async () => {
    serve({ "GET /api/v1/me": () => me, "GET /api/v1/workflows": () => ({ items: [], next_cursor: "", total: 0 }) });
    const bar = (open: boolean) => <Filters chosen={chosenOf({})} onChange={() => {}} open={open} />;
    const { container, unmount } = await show(bar(false));
    expect(container.firstElementChild?.className).toContain("max-sm:hidden");
    unmount();
    const opened = await show(bar(true));
    expect(opened.container.firstElementChild?.className).not.toContain("max-sm:hidden");
  });
});

describe("labels", () => {
  it.each([
    ["", {}],
    ["team:claims, client = Nordlys AS", { labels: { team: "claims", client: "Nordlys AS" } }],
    ["url:http://x", { labels: { url: "http://x" } }],
    ["team", { fault: "“team” has no value. Write name:value." }],
  ])("%s", (text, want) => expect(labelsOf(text)).toEqual(want));
});

describe("cancelling many", () => {
  const none = { approvals: 0, by_status: {}, by_workflow: {}, cancelled: 0, failed: [], more: false, runs: 0 };
  it("estimates first, then cancels piece by piece, and sums up", async () => {
    const ids = Array.from({ length: 120 }, (_, i) => `run_${i}`);
    const server = serve({
      "POST /api/v1/runs/cancel": (body) => {
        const { ids: part, just_count } = body as { ids: string[]; just_count?: boolean };
        if (just_count)
          return {
            ...none,
            runs: 118,
            approvals: 3,
            by_status: { running: 100, waiting: 18 },
            by_workflow: { "month-end": 118 },
          };
        return part.includes("run_0")
          ? { ...none, runs: 50, cancelled: 48, failed: [{ id: "run_0", error: "not yours" }] }
          : { ...none, runs: part.length, cancelled: part.length };
      },
    });
    await show(<BulkCancel ids={ids} onClose={() => {}} onDone={() => {}} />);
    expect(await screen.findByText("3 open decisions would close with them.")).toBeTruthy();
    expect(screen.getByText("18 waiting")).toBeTruthy();
    expect(screen.getByText(/2 of the 120 selected have ended already/)).toBeTruthy();
    expect(server.asked).toHaveLength(1);
    fireEvent.change(screen.getByLabelText("Why?"), { target: { value: "wrong data" } });
    fireEvent.click(screen.getByRole("button", { name: "Cancel 118 runs" }));
    const result = await screen.findByRole("status");
    expect(result.textContent).toContain("118 runs cancelled, 1 had ended already, 1 could not be.");
    expect(result.textContent).toContain("not yours");
    expect(server.asked.slice(1).map((a) => (a.body as { ids: string[] }).ids.length)).toEqual([50, 50, 20]);
    expect(server.asked[1]?.body).toMatchObject({ reason: "wrong data" });
  });
  it("tells what was done when it breaks off", async () => {
    let calls = 0;
    serve({
      "POST /api/v1/runs/cancel": (body) => {
        if ((body as { just_count?: boolean }).just_count) return { ...none, runs: 60 };
        if (calls++ === 0) return { ...none, cancelled: 50 };
        return new Response(JSON.stringify({ code: "forbidden", title: "Not allowed", detail: "ask an admin" }), {
          status: 403,
        });
      },
    });
    await show(<BulkCancel ids={Array.from({ length: 60 }, (_, i) => `r${i}`)} onClose={() => {}} onDone={() => {}} />);
    fireEvent.click(await screen.findByRole("button", { name: "Cancel 60 runs" }));
    expect((await screen.findByRole("status")).textContent).toContain("50 runs cancelled");
    expect(screen.getByText("ask an admin")).toBeTruthy();
  });
});

describe("starting a run", () => {
  const workflow = (input?: object) => ({
    items: [
      {
        id: "w",
        name: "month-end",
        version: 1,
        published: true,
        digest: "",
        by: "",
        at: at(0),
        yaml: "",
        definition: { workflow: "month-end", description: "Closes the month", input },
      },
    ],
    next_cursor: "",
    total: 1,
  });
  it("checks the form first, then sends what was typed, digit by digit", async () => {
    const schema = {
      type: "object",
      required: ["amount", "month"],
      properties: { amount: { type: "number" }, month: { type: "string", pattern: "^\\d{4}-\\d{2}$" } },
    };
    const server = serve({
      "GET /api/v1/me": () => me,
      "GET /api/v1/workflows": () => workflow(schema),
      "POST /api/v1/runs": () => ({ id: "run_7" }),
    });
    await show(<StartRun onClose={() => {}} />);
    expect(await screen.findByText("Closes the month")).toBeTruthy();
    fireEvent.change(screen.getByLabelText(/Amount/), { target: { value: "12.50" } });
    fireEvent.click(screen.getByRole("button", { name: "Start" }));
    expect(await screen.findByText("1 field needs another look.")).toBeTruthy();
    fireEvent.change(screen.getByLabelText(/Month/), { target: { value: "2026-11" } });
    fireEvent.change(screen.getByLabelText("Labels"), { target: { value: "team:it" } });
    fireEvent.click(screen.getByRole("checkbox"));
    fireEvent.click(screen.getByRole("button", { name: "Rehearse" }));
    await waitFor(() => expect(server.asked.some((a) => a.to === "POST /api/v1/runs")).toBe(true));
    const [sent, ...more] = server.asked.filter((a) => a.to === "POST /api/v1/runs");
    expect(more).toEqual([]);
    expect(sent?.text).toContain('"amount":12.50');
    expect(sent?.body).toMatchObject({ workflow: "month-end", labels: { team: "it" }, test_mode: true });
  });
  it("says what to do where there is no workflow", async () => {
    serve({ "GET /api/v1/me": () => me, "GET /api/v1/workflows": () => ({ items: [], next_cursor: "", total: 0 }) });
    await show(<StartRun onClose={() => {}} />);
    expect(await screen.findByText(/There is no workflow yet/)).toBeTruthy();
  });
});
