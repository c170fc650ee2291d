import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answer, problem, serve, visit } from "../../test/page";
import { keys } from "../api/queries";
import type { Run } from "../api/types";
import { useKeyboard } from "../shell/shortcuts";
import { ReplayPage } from "./ReplayPage";

// The drawings are tested where they are made; here it counts what they are given.
vi.mock("../graph", () => ({
  useGates: () => [],
  RunGraph: ({ run, marked, approvals }: { run: Run; marked: Set<string>; approvals: { status: string }[] }) => (
    <p data-testid="graph">
      {run.steps.map((s) => `${s.id} ${s.status}`).join(", ")} | marked {[...marked].join(",")} | approvals{" "}
      {approvals.map((a) => a.status).join(",")}
    </p>
  ),
  Timeline: ({ events, now }: { events: unknown[]; now: number }) => (
    <p data-testid="timeline">
      {events.length} events until {now && new Date(now).toISOString()}
    </p>
  ),
}));

vi.mock("../ui/CodeEditor", () => ({
  CodeEditor: ({ value, onChange, label }: { value: string; onChange: (v: string) => void; label: string }) => (
    <textarea aria-label={label} value={value} onChange={(e) => onChange(e.target.value)} />
  ),
}));

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const types = [
  ["run.started", { workflow: "refund-email", owner: "ann" }],
  ["step.started", { step: "write", try: 1 }],
  ["step.retrying", { step: "write", error: { message: "timed out" } }],
  ["approval.needed", { spot: { at: "after", step: "write" }, request: { id: "apr_1", title: "Send it?" } }],
  ["approval.decided", { id: "apr_1", decision: { by: "maria", act: "approve", comment: "Fine" } }],
  ["step.completed", { step: "write" }],
  ["approval.auto_approved", { spot: { step: "send" }, request: { title: "Read", rule: { name: "Safe reads" } } }],
  ["run.completed", { output: {} }],
] as const;
const last = types.length;
const second = (n: number) => new Date(Date.UTC(2026, 10, 15, 9, 0, n)).toISOString();
// A wait of an hour before the decision.
const timeOf = (seq: number) => second(seq >= 5 ? 3600 + seq : seq);

function event(seq: number) {
  const [type, data] = types[seq - 1] ?? types[0];
  const actor = type === "approval.decided" ? { kind: "person", name: "maria" } : { kind: "system", name: "" };
  return { feed: seq, run: "run_1", seq, at: timeOf(seq), type, actor, data };
}

function state(seq: number, part: object = {}) {
  return {
    id: "run_1",
    workflow: "refund-email",
    version: 1,
    status: seq === last ? "completed" : seq === 4 ? "waiting" : "running",
    owner: "ann",
    input: { amount: 1 },
    context: seq >= 6 ? { amount: 1, sum: "SUM" } : { amount: 1 },
    output: null,
    steps: [
      {
        id: "write",
        kind: "agent",
        needs: [],
        layer: 0,
        status: seq >= 6 ? "done" : "running",
        try: 1,
        output: seq >= 6 ? { text: "hello" } : null,
        started_at: null,
        ended_at: null,
        duration_ms: null,
        waited_ms: null,
        worked_ms: null,
      },
    ],
    progress: { done: seq >= 6 ? 1 : 0, total: 1, percent: 0, eta_s: null },
    pending_approvals: seq === 4 ? ["apr_1"] : [],
    usage: { llm_calls: 0, tokens_in: 0, tokens_out: 0, cost_usd: "0" },
    warnings: [],
    error: null,
    thread: seq >= 5 ? [{ from: { kind: "person", name: "maria" }, text: "Looks good", at: timeOf(5) }] : [],
    seq,
    started_at: timeOf(1),
    ended_at: null,
    parent: null,
    retry_of: null,
    forked_from: null,
    ...part,
  };
}

const approval = { id: "apr_1", status: "approved", decisions: [], outcome: { status: "approved", at: timeOf(5) } };

function page(address = "/runs/run_1/replay", answers: Record<string, Answer> = {}) {
  const sent = serve({
    "GET /api/v1/runs/run_1": () => state(last),
    "GET /api/v1/runs/run_1/state": ({ query }) =>
      // A number that JavaScript cannot hold.
      JSON.stringify(state(Number(query.get("at_seq")))).replace('"SUM"', "9007199254740993"),
    "GET /api/v1/runs/run_1/events": ({ query }) => {
      const after = Number(query.get("after"));
      const items = types.map((_, i) => event(i + 1)).filter((e) => e.seq > after);
      return { items: items.slice(0, Number(query.get("limit"))), next_cursor: "", total: items.length };
    },
    "GET /api/v1/approvals": () => ({ items: [approval], next_cursor: "", total: 1 }),
    ...answers,
  });
  const Keyed = () => {
    useKeyboard();
    return <ReplayPage />;
  };
  return { sent, ...visit(Keyed, "/runs/$id/replay", address) };
}

const slider = () => screen.findByRole("slider");
const at = async () => Number((await slider()).getAttribute("aria-valuenow"));
const press = (key: string, more: object = {}) => fireEvent.keyDown(document.body, { key, ...more });

describe("replay", () => {
  it("shows graph, state, thread and event as they were then", async () => {
    page("/runs/run_1/replay?at=4");
    expect(await screen.findByText("Approval needed: “Send it?”")).toBeTruthy();
    await waitFor(() =>
      expect(screen.getByTestId("graph").textContent).toBe("write running | marked write | approvals pending"),
    );
    expect(screen.getByText("Waiting")).toBeTruthy();
    fireEvent.mouseDown(screen.getByRole("tab", { name: "Thread" }), { button: 0 });
    expect(await screen.findByText("No messages at this point.")).toBeTruthy();
    press("ArrowRight");
    expect(await screen.findByText("maria approved: “Fine”")).toBeTruthy();
    expect(await screen.findByText("Looks good")).toBeTruthy();
    await waitFor(() => expect(screen.getByTestId("graph").textContent).toContain("approvals approved"));
  });

  it("reads only: no request changes anything", async () => {
    const { sent } = page("/runs/run_1/replay?at=1");
    await screen.findByTestId("graph");
    for (let i = 0; i < last; i++) press("ArrowRight");
    await waitFor(async () => expect(await at()).toBe(last));
    expect(sent.every((s) => s.method === "GET")).toBe(true);
  });

  it("goes by keyboard: arrows, ends, decisions", async () => {
    page("/runs/run_1/replay?at=2");
    await screen.findByText("2 decisions");
    for (const [key, shift, want] of [
      ["ArrowRight", false, 3],
      ["ArrowLeft", false, 2],
      ["ArrowRight", true, 5],
      ["ArrowRight", true, 7],
      ["ArrowRight", true, 7],
      ["ArrowLeft", true, 5],
      ["End", false, 8],
      ["ArrowRight", false, 8],
      ["Home", false, 1],
      ["ArrowLeft", false, 1],
    ] as const) {
      press(key, { shiftKey: shift });
      await waitFor(async () => expect(await at(), `${key} ${shift}`).toBe(want));
    }
  });

  it("has ticks for decisions, failures and waits, and goes to them", async () => {
    page("/runs/run_1/replay?at=1");
    expect(await screen.findByText("2 decisions")).toBeTruthy();
    expect(screen.getByText("1 wait")).toBeTruthy();
    fireEvent.click(screen.getByText("1 failure"));
    await waitFor(async () => expect(await at()).toBe(3));
    fireEvent.click(screen.getByText("1 failure")); // after the last comes the first
    await waitFor(async () => expect(await at()).toBe(3));
  });

  it("keeps the position in the address, and takes it from there", async () => {
    const { address } = page("/runs/run_1/replay?at=3&tab=events");
    expect(await at()).toBe(3);
    press("ArrowRight");
    await waitFor(() => expect(address()).toBe("/runs/run_1/replay?at=4&tab=events"));
  });

  it.each([
    ["999", 8],
    ["-5", 1],
    ["x", 8],
    ["0", 8],
  ])("?at=%s stands at %d", async (text, want) => {
    page(`/runs/run_1/replay?at=${text}`);
    expect(await at()).toBe(want);
  });

  it("reads the neighbours ahead", async () => {
    const { sent } = page("/runs/run_1/replay?at=4");
    await waitFor(() => {
      const asked = sent.filter((s) => s.path.endsWith("/state")).map((s) => s.query.get("at_seq"));
      expect(asked.sort()).toEqual(["3", "4", "5"]);
    });
  });

  it("can be dragged", async () => {
    page("/runs/run_1/replay?at=1");
    const bar = await slider();
    const track = bar.firstElementChild as Element;
    vi.spyOn(track, "getBoundingClientRect").mockReturnValue({ left: 0, width: 700 } as DOMRect);
    let held = false;
    Object.assign(bar, { setPointerCapture: () => (held = true), hasPointerCapture: () => held });
    fireEvent.pointerMove(bar, { clientX: 300 });
    expect(await at()).toBe(1);
    fireEvent.pointerDown(bar, { clientX: 300 });
    expect(await at()).toBe(4);
    fireEvent.pointerMove(bar, { clientX: 5000 });
    expect(await at()).toBe(8);
  });
});

describe("playing", () => {
  /** The page, loaded; from here on time passes only when a test lets it. */
  const still = async (address: string) => {
    page(address);
    await screen.findByText("2 decisions");
    await waitFor(() => expect(screen.getByTestId("graph").closest("[aria-busy=false]")).not.toBeNull());
    vi.useFakeTimers();
  };
  /** Lets time pass in small steps: what each of them causes is drawn before the next. */
  const pass = async (ms: number, until = () => false) => {
    for (let left = ms; left > 0 && !until(); left -= 50) await act(() => vi.advanceTimersByTimeAsync(50));
  };
  const now = () => Number(screen.getByRole("slider").getAttribute("aria-valuenow"));

  it("goes from event to event, skips waits, and ends at the end", async () => {
    await still("/runs/run_1/replay?at=1");
    press(" ");
    expect(screen.getByText("Pause")).toBeTruthy();
    const seen = new Set<number>();
    await pass(30_000, () => seen.add(now()).has(last));
    expect([...seen]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(screen.getByText("Play")).toBeTruthy();
  });

  it("waits as long as it took, unless waits are skipped", async () => {
    await still("/runs/run_1/replay?at=4");
    fireEvent.click(screen.getByRole("checkbox"));
    fireEvent.click(screen.getByText("16×"));
    fireEvent.click(screen.getByText("Play"));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(now()).toBe(4);
    expect(screen.getByText(/next in/)).toBeTruthy();
    fireEvent.click(screen.getByRole("checkbox"));
    await pass(2000, () => now() > 4);
    expect(now()).toBe(5);
  });

  it("rests when somebody takes over, and begins anew at the end", async () => {
    await still(`/runs/run_1/replay?at=${last}`);
    press(" ");
    expect(now()).toBe(1);
    expect(screen.getByText("Pause")).toBeTruthy();
    press("ArrowRight");
    expect(screen.getByText("Play")).toBeTruthy();
    await pass(5000);
    expect(now()).toBe(2);
  });
});

describe("comparing", () => {
  it("tells what an event changed, digit by digit", async () => {
    page("/runs/run_1/replay?at=6&tab=changes");
    expect(await screen.findByText(/What this event changed/)).toBeTruthy();
    expect(await screen.findByText("Context")).toBeTruthy();
    expect(screen.getByText("9007199254740993")).toBeTruthy();
    expect(screen.getByText("Step Write")).toBeTruthy();
  });

  it("compares with a pinned position, in either direction, and unpins", async () => {
    const { address } = page("/runs/run_1/replay?at=2");
    fireEvent.click(await screen.findByText("Pin to compare"));
    await waitFor(() => expect(address()).toContain("a=2"));
    expect(await screen.findByText("Both positions are the same. Move one to compare.")).toBeTruthy();
    press("End");
    expect(await screen.findByText("From event 2 to event 8.")).toBeTruthy();
    expect((await screen.findAllByText("Status")).length).toBeGreaterThan(0);
    press("Home");
    expect(await screen.findByText("From event 1 to event 2.")).toBeTruthy();
    expect(await screen.findByText("Nothing in the state changed.")).toBeTruthy();
    const [unpin] = screen.getAllByText("Unpin");
    if (unpin) fireEvent.click(unpin);
    await waitFor(() => expect(address()).not.toContain("a=2"));
    expect(await screen.findByText(/This is the first event/)).toBeTruthy();
  });
});

describe("views", () => {
  it("the timeline ends where the position is", async () => {
    page("/runs/run_1/replay?at=3");
    await screen.findByText("2 decisions");
    fireEvent.click(await screen.findByText("Timeline"));
    expect((await screen.findByTestId("timeline")).textContent).toBe(`3 events until ${timeOf(3)}`);
  });

  it("events are a list to go by", async () => {
    // The list draws what fits into its box; here boxes have no size.
    vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(600);
    page("/runs/run_1/replay?at=3&tab=events");
    fireEvent.click((await screen.findAllByText("Write is done"))[0] as Element);
    await waitFor(async () => expect(await at()).toBe(6));
  });
});

describe("forking", () => {
  const fork = async (answers: Record<string, Answer> = {}) => {
    const shown = page("/runs/run_1/replay?at=6", answers);
    fireEvent.click(await screen.findByText("Fork from here"));
    await screen.findByText("Fork after event 6");
    await screen.findByText("Input");
    return shown;
  };
  const posted = (sent: { method: string; body: string }[]) => sent.find((s) => s.method === "POST")?.body;

  it.each([
    [["view"], false],
    [["view", "command"], false],
    [["view", "command", "start"], true],
  ])("is offered to those who may: %s, %s", async (permissions, offered) => {
    const { client } = page("/runs/run_1/replay?at=6", {
      "GET /api/v1/me": () => ({ name: "eve", roles: [], permissions }),
    });
    await screen.findByTestId("graph");
    await waitFor(() => expect(client.getQueryData(keys.me)).toBeTruthy());
    await waitFor(() => expect(screen.queryByText("Fork from here") !== null).toBe(offered));
    press("f");
    expect((await screen.findByText("Pin to compare")) && screen.queryByText("Fork after event 6") !== null).toBe(
      offered,
    );
  });

  it("as it was leads to the new run", async () => {
    const { sent, address } = await fork({ "POST /api/v1/runs/run_1/fork": () => state(6, { id: "run_2" }) });
    fireEvent.click(screen.getByText("Fork as it was"));
    await waitFor(() => expect(address()).toBe("/runs/run_2"));
    expect(posted(sent)).toBe('{"at_seq":6}');
  });

  it("with edits sends what was changed, byte by byte, and nothing else", async () => {
    const { sent, address } = await fork({ "POST /api/v1/runs/run_1/fork": () => state(6, { id: "run_2" }) });
    fireEvent.click(screen.getByLabelText("Change: Input"));
    fireEvent.change(screen.getByLabelText("Input as JSON"), { target: { value: '{"amount": 0.10}' } });
    fireEvent.click(screen.getByLabelText("Change: Context"));
    const context = screen.getByLabelText("Context as JSON") as HTMLTextAreaElement;
    expect(context.value).toContain("9007199254740993");
    fireEvent.change(context, { target: { value: '{"amount":1,"sum":9007199254740995}' } });
    fireEvent.click(screen.getByText("Fork with 2 changes"));
    await waitFor(() => expect(address()).toBe("/runs/run_2"));
    expect(posted(sent)).toBe('{"at_seq":6,"edits":{"input":{"amount": 0.10},"context":{"sum":9007199254740995}}}');
  });

  it("what is no JSON cannot be sent, and can be taken back", async () => {
    await fork();
    fireEvent.click(screen.getByLabelText("Change: Input"));
    fireEvent.change(screen.getByLabelText("Input as JSON"), { target: { value: "{" } });
    expect(screen.getByText("Not valid JSON.")).toBeTruthy();
    expect(screen.getByText("Fork as it was").closest("button")?.disabled).toBe(true);
    fireEvent.click(screen.getByLabelText("Leave as it was: Input"));
    expect(screen.getByText("Fork as it was").closest("button")?.disabled).toBe(false);
  });

  it("says why it was refused", async () => {
    await fork({
      "POST /api/v1/runs/run_1/fork": () => problem(422, "invalid", { title: "Not valid", detail: "no amount" }),
    });
    fireEvent.click(screen.getByText("Fork as it was"));
    expect(await screen.findByText("no amount")).toBeTruthy();
    expect(screen.queryByText(/^Fork from event/)).toBe(null);
  });

  it("from an earlier event, where people are asked, if they were not", async () => {
    const { sent, address } = await fork({
      "POST /api/v1/runs/run_1/fork": ({ body }: { body: string }) =>
        body.includes('"at_seq":6')
          ? problem(422, "invalid", { title: "Not valid", detail: "eve answered gate check after that", fork_at: 4 })
          : state(4, { id: "run_2" }),
    });
    fireEvent.click(screen.getByLabelText("Change: Input"));
    fireEvent.change(screen.getByLabelText("Input as JSON"), { target: { value: '{"amount":7}' } });
    fireEvent.click(screen.getByText("Fork with 1 change"));
    fireEvent.click(await screen.findByText("Fork from event 4 instead"));
    await waitFor(() => expect(address()).toBe("/runs/run_2"));
    expect(sent.filter((s) => s.method === "POST").map((s) => s.body)).toEqual([
      '{"at_seq":6,"edits":{"input":{"amount":7}}}',
      '{"at_seq":4,"edits":{"input":{"amount":7}}}',
    ]);
  });
});

describe("trouble", () => {
  it("a run that is not there", async () => {
    page("/runs/run_1/replay", { "GET /api/v1/runs/run_1": () => problem(404, "not_found", { title: "No such run" }) });
    expect(await screen.findByText("No such run")).toBeTruthy();
  });

  it("a state that cannot be read", async () => {
    page("/runs/run_1/replay?at=2", {
      "GET /api/v1/runs/run_1/state": () => problem(500, "internal", { title: "Broken" }),
    });
    expect(await screen.findByText("Broken")).toBeTruthy();
    expect(await at()).toBe(2);
  });

  it("a log that cannot be read leaves the rest usable", async () => {
    page("/runs/run_1/replay?at=2", {
      "GET /api/v1/runs/run_1/events": () => problem(500, "internal", { title: "Log broken" }),
    });
    expect(await screen.findByText("Log broken")).toBeTruthy();
    expect(await screen.findByTestId("graph")).toBeTruthy();
    press("ArrowRight");
    await waitFor(async () => expect(await at()).toBe(3));
  });

  it("a long log is read in pages, and a far event by itself", async () => {
    const long = 2500;
    const { sent } = page("/runs/run_1/replay?at=2400", {
      "GET /api/v1/runs/run_1": () => state(long),
      "GET /api/v1/runs/run_1/events": async ({ query }) => {
        const [after, limit] = [Number(query.get("after")), Number(query.get("limit"))];
        if (limit > 1 && after > 0) await new Promise((resolve) => setTimeout(resolve, 100));
        const count = Math.max(0, Math.min(limit, long - after));
        const items = Array.from({ length: count }, (_, i) => ({ ...event(2), seq: after + i + 1 }));
        return { items, next_cursor: "more", total: long };
      },
    });
    expect((await screen.findAllByText("Write began")).length).toBeGreaterThan(0);
    await waitFor(() => expect(screen.queryByText("reading the log …")).toBeNull());
    const events = sent.filter((s) => s.path.endsWith("/events"));
    expect(events.filter((s) => s.query.get("limit") === "1000").map((s) => s.query.get("after"))).toEqual([
      "0",
      "1000",
      "2000",
    ]);
    expect(events.find((s) => s.query.get("limit") === "1")?.query.get("after")).toBe("2399");
  });
});
