import { fireEvent, screen, act as settle } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Approval, ApprovalKind, ApprovalReason, ApprovalStatus, RiskLevel, TimeoutAct } from "../api/types";
import type { Doing } from "../lib/decisions";
import { approvalKind, approvalReason, approvalStatus, onTimeout, risk } from "../words";
import { gistOf } from "./gist";
import { Row } from "./Row";
import { fateText, forWhom, lateText } from "./say";
import { FakeServer, renderAt, someApproval } from "./testing";

const on = { visit: () => {}, open: () => {}, select: () => {}, undo: () => {}, unfold: () => {} };

async function draw(approval: Approval, { card = false, doing = undefined as Doing | undefined } = {}) {
  vi.stubGlobal("fetch", new FakeServer().fetch);
  await settle(async () => {
    renderAt("/inbox", {
      inbox: () => (
        <ul>
          <Row
            {...{ approval, card, doing, on }}
            index={4}
            count={90}
            cursor={false}
            shown={false}
            focus={false}
            selected={false}
            selecting={false}
            top={0}
            height={56}
          />
        </ul>
      ),
    });
  });
  return screen.getByRole("listitem");
}

describe("a row", () => {
  beforeEach(() => {
    vi.unstubAllGlobals();
    vi.useFakeTimers({ toFake: ["Date"] }); // however long drawing takes, no deadline comes nearer
  });
  afterEach(() => void vi.useRealTimers());

  it("tells its place in the list, and itself in one breath", async () => {
    const row = await draw(someApproval({ role: "finance", quorum: { needed: 2, given: 1 } }));
    expect([row.getAttribute("aria-setsize"), row.getAttribute("aria-posinset")]).toEqual(["90", "5"]);
    expect(
      screen.getByRole("link", {
        name: /^Send refund confirmation.*Mailer in Refund email.*for Finance.*Medium risk.*1 of 2/,
      }),
    ).toBeTruthy();
  });

  it("says about whom or what it is, so that rows of the same title differ", async () => {
    const show = {
      $json: '{"customer":"Iben Dahl","note":" ","order":{"id":1},"paid":true,"amount":120.50,"city":"Oslo"}',
    };
    const row = await draw(someApproval({ show }));
    expect(row.textContent).toContain("Send refund confirmation · Iben Dahl · 120.50Mailer");
    expect(row.querySelector("[title^='Send refund confirmation']")?.getAttribute("title")).toBe(
      "Send refund confirmation\nCustomer: Iben Dahl\nAmount: 120.50",
    );
  });

  it.each([
    [
      "nothing is shown, so what is proposed is",
      { proposed: { $json: '{"amount":9007199254740993}' } },
      ["9007199254740993"],
    ],
    [
      "a tool call says it in its title",
      { action: { type: "tool_call", digest: "d" }, proposed: { $json: '{"a":"b"}' } },
      [],
    ],
    ["a stand-in for something large", { proposed: { $json: '{"$blob":"sha256:1","size":70000,"preview":"x"}' } }, []],
    ["something long", { show: { $json: JSON.stringify({ text: "x".repeat(5000), a: "b" }) } }, []],
    [
      "a long text",
      { show: { $json: '{"why":"The parcel\\nwas lost on its way 🚀 to the customer"}' } },
      ["The parcel was lost on its way 🚀…"],
    ],
    ["a list", { show: { $json: '["a"]' } }, []],
  ] as [string, Partial<Approval>, string[]][])("its gist: %s", (_, part, want) => {
    expect(gistOf(someApproval(part)).map((g) => g.short)).toEqual(want);
  });

  it.each(Object.keys(approvalKind) as ApprovalKind[])("says its kind: %s", async (kind) => {
    expect((await draw(someApproval({ kind }))).textContent).toContain(approvalKind[kind].label);
  });

  it.each(Object.keys(approvalReason) as ApprovalReason[])("says why it asks: %s", async (reason) => {
    const row = await draw(someApproval({ reason }));
    expect(row.querySelector(`[title*="${approvalReason[reason].sentence}"]`)).toBeTruthy();
    if (reason !== "gate") expect(row.textContent).toContain(approvalReason[reason].label);
  });

  it.each(Object.keys(risk) as RiskLevel[])("says its risk as a word: %s", async (level) => {
    expect((await draw(someApproval({ risk: { level, reasons: [] } }))).textContent).toContain(risk[level].label);
  });

  it.each(Object.keys(approvalStatus) as ApprovalStatus[])("says how it stands: %s", async (status) => {
    const outcome = { status, act: "approve", by: "Maria", at: "2026-11-15T10:00:00Z" } as Approval["outcome"];
    const row = await draw(someApproval({ status, outcome: status === "pending" ? null : outcome }));
    expect(row.textContent).not.toContain(status === "pending" ? "this" : "Mailer");
    if (["approved", "modified", "rejected"].includes(status)) expect(row.textContent).toContain("Maria");
    expect(row.querySelector<HTMLButtonElement>("[role=checkbox]")?.disabled).toBe(status !== "pending");
  });

  it.each(Object.keys(onTimeout) as TimeoutAct[])("says what happens at the deadline: %s", async (then) => {
    const deadline_at = new Date(Date.now() + 12 * 60_000 + 500).toISOString();
    const row = await draw(someApproval({ deadline_at, on_timeout: then }));
    expect(row.textContent).toContain(fateText(then, 720));
    for (const part of row.querySelectorAll("span")) fireEvent.pointerEnter(part);
    expect(row.querySelector(`[title*="${onTimeout[then].sentence}"]`)).toBeTruthy();
  });

  it("shows confidence, cost, quorum and how long it waits", async () => {
    const row = await draw(
      someApproval({ confidence: 0.87, estimated_cost_usd: "0.0375", quorum: { needed: 2, given: 1 } }),
    );
    for (const text of ["87\u00a0% sure", "$0.0375", "1 of 2", "Waiting"]) expect(row.textContent).toContain(text);
  });

  it.each([true, false])("shows the subject, a test run and a changed tool (card: %s)", async (card) => {
    const changed = [{ kind: "tool", name: "refund", from: "3", to: "4" }];
    const row = await draw(someApproval({ subject: "Refund 20 EUR to Ann", test_mode: true, changed }), { card });
    for (const text of ["Refund 20 EUR to Ann", "Test", "Changed, asked again"])
      expect(row.textContent).toContain(text);
  });

  it("does not repeat the title as the subject", async () => {
    const row = await draw(someApproval({ title: "Refund 20 EUR to Ann", subject: "Refund 20 EUR to Ann" }));
    expect(row.textContent?.split("Refund 20 EUR").length).toBe(2);
    expect(row.textContent).not.toContain("Test");
  });

  it("is a card with the essentials on a phone", async () => {
    const row = await draw(
      someApproval({ deadline_at: new Date(Date.now() + 30_000).toISOString(), on_timeout: "cancel" }),
      {
        card: true,
      },
    );
    for (const text of ["Send refund confirmation", "Mailer in Refund email", "Medium risk", "Cancels in", "Waiting"])
      expect(row.textContent).toContain(text);
  });

  it("says on a card what the title leaves room for", async () => {
    const row = await draw(someApproval({ description: "The customer gets the money at once." }), { card: true });
    expect(row.textContent).toContain("The customer gets the money at once.");
    expect(screen.getByRole("link").textContent).toContain("money");
    expect(screen.queryByRole("link", { name: /money/ })).toBeNull();
  });

  it("marks what cannot be seen in its title", async () => {
    const row = await draw(someApproval({ title: "Pay\u202e ann", show: { $json: '{"to":"a\u200bnn"}' } }));
    expect([...row.querySelectorAll("a [data-unseen]")].map((mark) => mark.textContent)).toHaveLength(2);
    expect(screen.getByRole("checkbox").getAttribute("aria-label")).not.toContain("\u202e");
    expect(row.querySelector("[title^='Pay']")?.getAttribute("title")).not.toContain("\u202e");
  });

  it("says what is happening to it, and offers to take it back only while that is possible", async () => {
    const approval = someApproval();
    const decision = { act: "approve", version: 1 } as const;
    await draw(approval, { doing: { approval, decision, phase: "held", until: Date.now() + 5000 } });
    expect(screen.getByText("Approving in 5 s")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
  });

  it("offers no way back once it is sent", async () => {
    const approval = someApproval();
    await draw(approval, { doing: { approval, decision: { act: "reject", version: 1 }, phase: "sending" } });
    expect(screen.getByText("Rejecting …")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  });
});

describe("words", () => {
  it("count seconds only when they count", () => {
    expect(fateText("cancel", 12 * 60 + 40)).toBe("Cancels in 12\u00a0min");
    expect(fateText("approve", 61)).toBe("Approves in 1\u00a0min 1\u00a0s");
    expect(fateText("reject", 0)).toBe("Rejects now");
    expect(fateText(undefined, 60)).toBe("Due in 1\u00a0min");
  });

  it("name who was first", () => {
    expect(lateText({ by: "Maria", act: "approve" })).toBe("Maria approved this first");
    expect(lateText({ by: "Maria", act: "choose" })).toBe("Maria was first and chose an option");
    expect(lateText({ by: "Maria", act: "something new" })).toBe("Maria settled this first");
    expect(lateText({ by: "", act: "" })).toBe("This was settled before your answer came");
  });

  it("name who is asked", () => {
    expect(forWhom(someApproval())).toBe("");
    expect(forWhom(someApproval({ role: "support_lead", assignees: ["bob"], escalated_to: ["role:cfo"] }))).toBe(
      "for bob, Cfo and Support lead",
    );
  });
});
