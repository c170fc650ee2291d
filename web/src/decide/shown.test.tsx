import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Approval } from "../api/types";
import { button, Server, settled, show, someApproval } from "./testing";
import { outcomeText, quorumText } from "./words";

beforeEach(() => sessionStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

it("files beyond the first megabyte are loaded near the view, and Approve waits for them", async () => {
  const comeNear: (() => void)[] = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(private readonly tell: (seen: { isIntersecting: boolean }[]) => void) {}
      observe = () => void comeNear.push(() => this.tell([{ isIntersecting: true }]));
      disconnect = () => {};
    },
  );
  const server = new Server(someApproval());
  const file = {
    run: "run_1",
    type: "document",
    mime_type: "text/plain",
    preview: "text",
    status: "draft",
    newest: true,
  };
  server.made = ["one", "two"].map((name) => ({ ...file, id: `dlv_${name}`, name: `${name}.txt`, size: 900_000 }));
  const answer = globalThis.fetch;
  const loaded: string[] = [];
  vi.stubGlobal("fetch", (request: Request | string) => {
    if (typeof request !== "string") return answer(request);
    loaded.push(request.split("/")[4] ?? "");
    return Promise.resolve(new Response(`All of ${request}`));
  });
  await show(server);
  await screen.findAllByText(/All of .*dlv_one/); // the page of contents is loaded first
  await screen.findByRole("button", { name: "Look at 1 file first" });
  expect([loaded, button(/^Approve/).disabled]).toEqual([["dlv_one"], true]);
  act(() => {
    for (const near of comeNear) near();
  });
  await screen.findAllByText(/All of .*dlv_two/);
  await waitFor(() => expect(button(/^Approve/).disabled).toBe(false));
});

describe("a revision", () => {
  const sentBack = (part: Partial<Approval>) =>
    settled({
      id: "apr_0",
      status: "revision_requested",
      requested_at: "2026-11-15T08:00:00Z",
      outcome: { status: "revision_requested", by: "maria", at: "2026-11-15T08:30:00Z", comment: "half of it" },
      ...part,
    });

  it("says who sent the last draft back, with which words, and what is different since", async () => {
    const server = new Server(someApproval());
    server.list = [
      sentBack({ proposed: { $json: '{"to":"ann@example.com","amount":179.00,"id":9007199254740993}' } }),
      sentBack({ id: "apr_x", gate: "another", outcome: null }),
      sentBack({ id: "apr_later", requested_at: "2026-11-15T10:00:00Z" }),
    ];
    await show(server);
    const region = await screen.findByRole("region", { name: "Revision 2" });
    expect(region.textContent).toContain("maria sent a draft back");
    expect(region.textContent).toContain("“half of it”");
    expect(region.textContent).toMatch(/Amount.*179\.00.*89\.50/);
    expect(within(region).getAllByRole("listitem")).toHaveLength(1);
  });

  it("is not spoken of where there was none", async () => {
    await show(new Server(someApproval()));
    expect(screen.queryByRole("region", { name: /Revision/ })).toBeNull();
  });
});

describe("what is shown", () => {
  it("says why, by which rule, how sure, and who is asked", async () => {
    await show(
      new Server(
        someApproval({
          reason: "rule",
          rule: { name: "High-value refunds", policy: "pol_123", reason: "amount over 1,000" },
          quorum: { needed: 2, given: 1, by_role: { finance: 1 } },
          estimated_cost_usd: "2.00",
        }),
      ),
    );
    expect(screen.getByText("High-value refunds")).toBeTruthy();
    expect(screen.getByText(/amount over 1,000/)).toBeTruthy();
    expect(screen.getByText("1 of 2 approvals; Finance still needed")).toBeTruthy();
    expect(screen.getByText("Money leaves")).toBeTruthy();
    expect(screen.getByText("A broken cable is a defect.")).toBeTruthy();
    expect(screen.getByText("$2.00")).toBeTruthy();
    expect(screen.getByText("9007199254740993")).toBeTruthy();
    expect(screen.getByText("a run of Refund email").closest("a")?.getAttribute("href")).toBe("/runs/run_1");
  });

  it.each([
    [0.62, { step: "extract", agent: "extractor", confidence: 0.62 }, "0.62 from Extract · Extractor"],
    [1, { step: "input", confidence: 1 }, "Given in the run's input, not proposed by an agent."],
    [
      null,
      { step: "extract", agent: "extractor", confidence: null },
      "Extract · Extractor stated no confidence. Check it yourself.",
    ],
  ])("confidence %s says where it comes from", async (confidence, confidence_source, text) => {
    await show(new Server(someApproval({ confidence, confidence_source })));
    expect(screen.getByText(text)).toBeTruthy();
    expect(screen.queryByText("Unknown") !== null).toBe(confidence === null);
  });

  it("says what changed since it was approved, what it is about, and that it is a test", async () => {
    const changed = [
      { kind: "tool", name: "refund", from: "3", to: "4" },
      { kind: "mcp_server", name: "files", from: "sha256:1", to: "" },
    ];
    await show(new Server(someApproval({ changed, subject: "Refund 20 EUR to Ann", test_mode: true })));
    expect(screen.getByText("The tool refund was changed after it was approved: version 3 → 4.")).toBeTruthy();
    expect(screen.getByText("The MCP server files is no longer used.")).toBeTruthy();
    expect(screen.getByText(/earlier approval no longer counts/)).toBeTruthy();
    expect(screen.getByText("Refund 20 EUR to Ann")).toBeTruthy();
    expect(screen.getByText("Test")).toBeTruthy();
  });

  it.each([
    ["approved", { by: "bob" }, "bob approved this"],
    ["modified", { by: "bob" }, "bob changed and approved this"],
    ["rejected", { by: "bob" }, "bob rejected this"],
    ["chosen", { by: "bob", option: "fine" }, "bob chose “False alarm”"],
    ["submitted", { by: "bob" }, "bob submitted the data"],
    ["revision_requested", { by: "bob" }, "bob asked for a revision"],
    ["timed_out", { cancel: true }, "Timed out: the run was cancelled"],
    ["cancelled", {}, "The run ended before a decision was made"],
    ["auto_approved", {}, "Approved automatically by a policy rule"],
  ] as const)("how it ended: %s", async (status, outcome, text) => {
    await show(
      new Server(
        settled({
          status,
          options: [{ value: "fine", label: "False alarm" }],
          outcome: { status, at: "2026-11-15T09:05:00Z", ...outcome },
        }),
      ),
    );
    expect(screen.getByText(text, { exact: false })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /^Reject/ })).toBeNull();
  });

  it.each([
    [{ reversible: "no", reversible_by: "none" }, "It cannot be undone."],
    [{ reversible: "yes", reversible_by: "unlock_account" }, "Unlock account undoes it."],
  ])("says whether it can be undone: %o", async (action, text) => {
    const { action: usual } = someApproval();
    await show(new Server(someApproval({ action: { ...usual, ...action } })));
    expect(screen.getByText(text)).toBeTruthy();
  });

  it("compares what was proposed first with what people made of it", async () => {
    await show(
      new Server(
        settled({
          status: "modified",
          original: { $json: '{"to":"ann@example.com","amount":99.99,"id":9007199254740993}' },
        }),
      ),
    );
    fireEvent.click(screen.getByRole("radio", { name: "Compare" }));
    expect(screen.getByText("99.99")).toBeTruthy();
    expect(screen.getByText("89.50", { selector: ".text-ok-text *" })).toBeTruthy();
  });

  it("says exactly how many of which roles are missing", () => {
    const text = (by_role: Record<string, number>) =>
      quorumText(someApproval({ quorum: { needed: 4, given: 1, by_role } }));
    expect(text({ finance: 2, legal: 1 })).toBe("1 of 4 approvals; 2 of Finance and 1 of Legal still needed");
    expect(text({ finance: 1, legal: 1, board: 1 })).toBe("1 of 4 approvals; Finance, Legal and Board still needed");
    expect(text({ finance: 2, legal: 0 })).toBe("1 of 4 approvals; 2 of Finance still needed");
  });

  it("names all whose answers made it so", () => {
    const said = (by: string, act: Approval["decisions"][0]["act"], option?: string) => ({
      by,
      act,
      at: "2026-11-15T09:05:00Z",
      version: 1,
      ...(option ? { option } : {}),
    });
    const end = (status: Approval["status"], by: string, decisions: Approval["decisions"], option?: string) =>
      outcomeText(settled({ status, decisions, outcome: { status, by, option, at: "2026-11-15T09:05:00Z" } }), "maria");
    expect(end("approved", "bob", [said("maria", "approve"), said("bob", "approve")])).toBe(
      "You and bob approved this",
    );
    expect(end("approved", "maria", [said("al", "approve"), said("bob", "escalate"), said("maria", "approve")])).toBe(
      "al and you approved this",
    );
    // A change makes earlier answers void.
    expect(end("modified", "maria", [said("al", "approve"), said("bob", "modify"), said("maria", "approve")])).toBe(
      "bob changed this, and you approved it as well",
    );
    expect(
      end("chosen", "bob", [said("al", "choose", "b"), said("cy", "choose", "a"), said("bob", "choose", "a")], "a"),
    ).toBe("cy and bob chose “A”");
    expect(end("rejected", "bob", [said("maria", "approve"), said("bob", "reject")])).toBe("bob rejected this");
  });

  it("draws what the agent thought as it was meant", async () => {
    await show(new Server(someApproval({ reasoning: "# Why\n\n- **first** <b>no</b>\n- `second`" })));
    expect(screen.getByRole("heading", { name: "Why" })).toBeTruthy();
    expect(screen.getByText("first").tagName).toBe("STRONG");
    expect(screen.getByText("second").tagName).toBe("CODE");
    expect(screen.getByText("<b>no</b>", { exact: false })).toBeTruthy();
  });

  it("says whom one has handed it to", async () => {
    const handed = { by: "maria", act: "delegate", to: "role:legal", at: "2026-11-15T09:05:00Z", version: 3 } as const;
    await show(new Server(someApproval({ acts: [], decisions: [handed] })));
    expect(await screen.findByText("You handed this over to the role Legal.")).toBeTruthy();
  });

  it("says why somebody cannot decide", async () => {
    await show(new Server(someApproval({ acts: [] })));
    expect(screen.getByText("You can look, but not decide: this is asked of the role Support lead.")).toBeTruthy();
  });
});
