import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Answer, problem, serve, visit } from "../../test/page";
import type { Approval, ApprovalStatus } from "../api/types";
import { approvalStatus } from "../words";
import { filterOf } from "./filter";
import { HistoryPage } from "./HistoryPage";
import { deciderOf, didOf, waitedMs } from "./say";

afterEach(() => void vi.unstubAllGlobals());

/** As the server sends it: payloads are plain values. */
function settled(status: ApprovalStatus, part: object = {}) {
  return {
    id: `apr_${status}`,
    run: "run_1",
    workflow: "refund-email",
    step: "send",
    gate: "review",
    agent: "mailer",
    kind: "approval",
    reason: "gate",
    status,
    version: 2,
    title: `Title of ${status}`,
    description: "",
    action: { type: "step", digest: "sha256:1" },
    proposed: {},
    reasoning: "",
    confidence: null,
    risk: { level: "high", reasons: [] },
    estimated_cost_usd: null,
    show: null,
    so_far: "",
    if_denied: "",
    options: [],
    input_schema: null,
    role: "",
    assignees: [],
    quorum: { needed: 1, given: 1 },
    decisions: [],
    comments: [],
    acts: [],
    requested_at: "2026-11-15T09:00:00Z",
    requester: "ann",
    deadline_at: null,
    pause_at: null,
    remind_at: null,
    rule: null,
    outcome: { status, act: "approve", by: "maria", comment: "", at: "2026-11-15T09:03:00Z" },
    ...part,
  };
}

const list = (items: unknown[], next = "") => ({ items, next_cursor: next, total: items.length });

function page(answer: Answer, address = "/history") {
  const sent = serve({
    "GET /api/v1/approvals": answer,
    "GET /api/v1/agents": () => list([]),
    "GET /api/v1/workflows": () => list([]),
  });
  return { sent, ...visit(HistoryPage, "/history", address) };
}

const statuses = (Object.keys(approvalStatus) as ApprovalStatus[]).filter((s) => s !== "pending");
const open = (title: string) => fireEvent.click(screen.getByLabelText(`Show how ${title} was decided`));

describe("history", () => {
  it.each(statuses)("a row for %s, in words", async (status) => {
    page(() => list([settled(status)]));
    const row = (await screen.findByText(`Title of ${status}`)).closest("li") as HTMLElement;
    expect(within(row).getByText(approvalStatus[status].label)).toBeTruthy();
    expect(within(row).getByText("High risk")).toBeTruthy();
  });

  it("asks for what is settled, newest first", async () => {
    const { sent } = page(() => list([]));
    await screen.findByText("No decisions yet");
    const query = sent.find((s) => s.path === "/api/v1/approvals")?.query;
    expect(query?.get("sort")).toBe("settled");
    expect(query?.getAll("status").join(",").split(",")).toEqual(statuses);
  });

  it.each([
    ["people", ["approved", "modified", "rejected", "chosen", "submitted", "revision_requested"]],
    ["rules", ["auto_approved"]],
    ["nobody", ["timed_out", "cancelled"]],
    ["rejected", ["rejected"]],
    ["pending", statuses],
    ["made_up", statuses],
  ])("?status=%s", (status, want) => expect(filterOf({ status }).status).toEqual(want));

  it("all filters are in the address, and can be cleared", async () => {
    const { sent, address } = page(() => list([]), "/history?workflow=refund&agent=mailer&risk=high&kind=choice");
    await screen.findByText("No matches for these filters");
    const query = sent.find((s) => s.path === "/api/v1/approvals")?.query;
    for (const [key, value] of Object.entries({ workflow: "refund", agent: "mailer", risk: "high", kind: "choice" }))
      expect(query?.get(key)).toBe(value);
    fireEvent.click(screen.getByText("Clear filters"));
    await waitFor(() => expect(address()).toBe("/history"));
    expect(filterOf({ q: " zoë " }).q).toBe("zoë");
    expect(filterOf({ q: "  " }).q).toBeUndefined();
    expect(filterOf({ risk: "constructor", kind: "toString" })).toMatchObject({ risk: undefined, kind: undefined });
  });

  it("tells rules from people", async () => {
    page(() =>
      list([
        settled("auto_approved", {
          rule: { name: "Safe reads", policy: "pol_1", reason: "risk is low" },
          outcome: { status: "auto_approved", at: "2026-11-15T09:00:00Z", comment: "risk is low" },
        }),
        settled("approved"),
      ]),
    );
    const rule = (await screen.findByText("Title of auto_approved")).closest("li") as HTMLElement;
    expect(within(rule).getByText("Safe reads")).toBeTruthy();
    expect(within(rule).getByText("Policy rule")).toBeTruthy();
    expect(within(rule).getByText("at once")).toBeTruthy();
    const person = screen.getByText("Title of approved").closest("li") as HTMLElement;
    expect(within(person).getByText("maria")).toBeTruthy();
    expect(within(person).getByText(/waited 3.min/)).toBeTruthy();
    open("Title of auto_approved");
    expect(screen.getByText(/no person was asked/)).toBeTruthy();
  });

  it("opens for who said what, what was changed, and the ways on", async () => {
    page(() =>
      list([
        settled("modified", {
          original: { price: 0.1, note: "a" },
          proposed: { price: 0.2, note: "a" },
          decisions: [
            {
              by: "ben",
              roles: [],
              act: "delegate",
              to: "role:manager",
              at: "2026-11-15T09:01:00Z",
              version: 1,
            },
            {
              by: "maria",
              roles: [],
              act: "modify",
              comment: "Rounded",
              on_behalf_of: "lee",
              at: "2026-11-15T09:03:00Z",
              version: 2,
            },
          ],
          comments: [{ by: "joao", text: "Is this right?", at: "2026-11-15T09:02:00Z" }],
        }),
      ]),
    );
    await screen.findByText("Title of modified");
    expect(screen.queryByText("What was changed")).toBeNull();
    open("Title of modified");
    const entries = screen.getAllByRole("listitem").map((li) => li.textContent);
    const places = ["handed it over to the role manager", "commented", "changed and approved on behalf of lee"].map(
      (t) => entries.findIndex((e) => e?.includes(t) && !e.includes("Title of")),
    );
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(screen.getByText("Is this right?")).toBeTruthy();
    expect(screen.getByText("What was changed")).toBeTruthy();
    expect(screen.getByText("0.2")).toBeTruthy();
    expect(screen.getByText("Open the run").getAttribute("href")).toBe("/runs/run_1");
    expect(screen.getByText("Open the approval").getAttribute("href")).toBe("/approvals/apr_modified");
  });

  it("shows what was submitted, digit by digit", async () => {
    const text = JSON.stringify(
      list([
        settled("submitted", { outcome: { status: "submitted", by: "maria", at: "2026-11-15T09:03:00Z", data: 0 } }),
      ]),
    ).replace('"data":0', '"data":{"sum":9007199254740993}');
    page(() => text);
    await screen.findByText("Title of submitted");
    open("Title of submitted");
    expect(screen.getByText("9007199254740993")).toBeTruthy();
  });

  it("says what went wrong, and reads on", async () => {
    let down = true;
    page(({ query }) =>
      down
        ? problem(503, "unavailable", { title: "Try later" })
        : query.get("cursor")
          ? list([settled("rejected")])
          : list([settled("approved")], "next"),
    );
    await screen.findByText("Try later");
    down = false;
    fireEvent.click(screen.getByText("Try again"));
    fireEvent.click(await screen.findByText("Show more"));
    expect(await screen.findByText("Title of rejected")).toBeTruthy();
  });
});

describe("the words", () => {
  const approval = (status: ApprovalStatus, part: object = {}) => settled(status, part) as unknown as Approval;

  it("know who decided", () => {
    expect(deciderOf(approval("rejected"))).toEqual({ kind: "person", name: "maria" });
    expect(deciderOf(approval("auto_approved")).kind).toBe("rule");
    expect(deciderOf(approval("timed_out"))).toEqual({ kind: "nobody", name: "No decision" });
    expect(deciderOf(approval("cancelled")).kind).toBe("nobody");
    expect(waitedMs(approval("approved"))).toBe(180_000);
    expect(waitedMs(approval("auto_approved"))).toBeUndefined();
  });

  it("call options by their name", () => {
    const choice = approval("chosen", { options: [{ value: "pay_all", label: "Pay everything" }] });
    const decision = { by: "a", act: "choose", option: "pay_all" } as unknown as Approval["decisions"][number];
    expect(didOf(choice, decision)).toBe("chose Pay everything");
    expect(didOf(choice, { ...decision, option: "pay_half" })).toBe("chose Pay half");
    expect(didOf(choice, { ...decision, via: "slack" })).toBe("chose Pay everything in Slack");
  });
});
