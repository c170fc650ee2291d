import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../api/error";
import type { Approval, Decision } from "../api/types";
import { Decisions, type Doing } from "../lib/decisions";
import { graceMs, setUndo } from "../lib/undo";
import { doingText } from "./say";
import { someApproval } from "./testing";

function setUp(
  answer: (id: string) => Promise<Approval> = async (id) => someApproval({ id, status: "approved", version: 2 }),
) {
  const sent: { id: string; decision: Decision; at: number }[] = [];
  const told: Doing[] = [];
  const decisions = new Decisions({
    send: (id, decision) => {
      sent.push({ id, decision, at: Date.now() });
      return answer(id);
    },
    tell: (doing) => told.push(doing),
  });
  return { decisions, sent, told };
}
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("a decision from the list", () => {
  beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-11-15T10:00:00Z") }));
  afterEach(() => {
    vi.useRealTimers();
    setUndo(true);
  });

  it("is sent when its five seconds are over, and not before", async () => {
    const { decisions, sent, told } = setUp();
    decisions.decide(someApproval({ version: 7 }), { act: "approve" });
    expect(decisions.get("apr_1")).toMatchObject({ phase: "held", until: Date.now() + 5000 });
    await vi.advanceTimersByTimeAsync(graceMs - 1);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toMatchObject([{ id: "apr_1", decision: { act: "approve", version: 7 } }]);
    expect(decisions.get("apr_1")?.phase).toBe("done");
    expect(told.map((d) => d.phase)).toEqual(["done"]);
  });

  it("can be taken back until then, the latest first, and each has its own time", async () => {
    const { decisions, sent } = setUp();
    decisions.decide(someApproval({ id: "a" }), { act: "approve" });
    await vi.advanceTimersByTimeAsync(3000);
    decisions.decide(someApproval({ id: "b" }), { act: "reject", comment: "no" });
    expect(decisions.held.map((d) => d.approval.id)).toEqual(["a", "b"]);
    expect(decisions.undo()?.id).toBe("b");
    await vi.advanceTimersByTimeAsync(2000);
    expect(sent.map((s) => s.id)).toEqual(["a"]);
    expect(decisions.undo()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent.map((s) => s.id)).toEqual(["a"]);
  });

  it("is sent at once when the page is left, and only once", async () => {
    const { decisions, sent } = setUp();
    decisions.decide(someApproval({ id: "a" }), { act: "approve" });
    decisions.decide(someApproval({ id: "b" }), { act: "approve" });
    decisions.flush();
    expect(sent.map((s) => s.id)).toEqual(["a", "b"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toHaveLength(2);
  });

  it.each([
    ["critical risk", someApproval({ risk: { level: "critical" } })],
    ["a deadline within moments", someApproval({ deadline_at: "2026-11-15T10:00:08Z" })],
  ])("is not held with %s", (_, approval) => {
    const { decisions, sent } = setUp();
    decisions.decide(approval, { act: "approve" });
    expect(sent).toHaveLength(1);
    expect(decisions.held).toEqual([]);
  });

  it("is not held where undo is switched off", () => {
    setUndo(false);
    const { decisions, sent } = setUp();
    decisions.decide(someApproval(), { act: "approve" });
    expect(sent).toHaveLength(1);
  });

  it("is made once, however often the key is pressed", async () => {
    const { decisions, sent } = setUp();
    for (let i = 0; i < 3; i++) decisions.decide(someApproval(), { act: "approve" });
    await vi.advanceTimersByTimeAsync(graceMs);
    expect(sent).toHaveLength(1);
  });

  it("is not sent if the approval changed while it was held", async () => {
    const { decisions, sent, told } = setUp();
    decisions.decide(someApproval({ version: 1 }), { act: "approve" });
    decisions.moved(someApproval({ version: 1 }));
    expect(decisions.held).toHaveLength(1);
    decisions.moved(someApproval({ version: 2 }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    expect(told.map((d) => d.phase)).toEqual(["changed"]);
  });

  it("is not sent if somebody else settled it meanwhile, and says who", async () => {
    const { decisions, sent, told } = setUp();
    decisions.decide(someApproval(), { act: "approve" });
    const outcome = {
      status: "rejected",
      act: "reject",
      by: "Maria",
      at: "2026-11-15T10:00:01Z",
    } as Approval["outcome"];
    decisions.moved(someApproval({ version: 2, status: "rejected", outcome }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    expect(doingText(told[0] as Doing)).toBe("Maria rejected this first");
  });

  it.each([
    [
      "already_decided",
      { decided_by: "Maria", act: "approve", decided_at: "2026-11-15T10:00:00Z" },
      "late",
      "Maria approved this first",
    ],
    ["version_mismatch", {}, "changed", "Changed since you looked. Nothing was sent; look again"],
    ["forbidden", {}, "failed", "Not approved: told"],
    ["unreachable", {}, "failed", "Not approved: told"],
  ] as const)("that meets %s is rolled back and says so", async (code, more, phase, text) => {
    const { decisions, told } = setUp(() =>
      Promise.reject(new ApiError({ code, status: 409, detail: "told", ...more })),
    );
    decisions.decide(someApproval(), { act: "approve" });
    decisions.flush();
    await settled();
    const doing = decisions.get("apr_1") as Doing;
    expect([doing.phase, doingText(doing)]).toEqual([phase, text]);
    expect(told).toEqual([doing]);
  });

  it("that failed is sent again as the very same attempt", async () => {
    let works = false;
    const { decisions, sent, told } = setUp(async (id) => {
      if (works) return someApproval({ id, status: "approved" });
      throw new ApiError({ code: "unreachable" });
    });
    decisions.decide(someApproval(), { act: "approve" });
    decisions.flush();
    await settled();
    works = true;
    decisions.again(told[0] as Doing);
    await settled();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.decision).toBe(sent[0]?.decision);
    expect(decisions.get("apr_1")?.phase).toBe("done");
  });
});
