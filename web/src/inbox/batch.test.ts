import { describe, expect, it } from "vitest";
import type { BatchResults } from "../api/types";
import { batchMax, fatesOf, totalsOf, whyNotAct, whyNotTogether } from "./batch";
import { alike } from "./subject";
import { someApproval } from "./testing";

const tool = (id: string, name: string, level: "low" | "high" | "critical" = "high") =>
  someApproval({ id, action: { type: "tool_call", digest: "", tool: name }, risk: { level } });

describe("a batch", () => {
  it("is of the same tool and risk, from any workflow", () => {
    expect(whyNotTogether([tool("a", "email_send"), { ...tool("b", "email_send"), workflow: "other" }])).toBe("");
    expect(whyNotTogether([tool("a", "email_send"), tool("b", "crm_update")])).toBe(
      "They are about different things: Email send, CRM update",
    );
    expect(whyNotTogether([tool("a", "email_send"), tool("b", "email_send", "low")])).toBe(
      "They differ in risk: High risk, Low risk",
    );
  });

  it("is of the same gate of the same workflow where no tool is called", () => {
    const a = someApproval({ id: "a" });
    expect(alike(a, someApproval({ id: "b" }))).toBe(true);
    expect(alike(a, someApproval({ id: "b", workflow: "other" }))).toBe(false);
    expect(alike(a, someApproval({ id: "b", gate: "other" }))).toBe(false);
    expect(alike(someApproval({ gate: "", step: "x" }), someApproval({ gate: "", step: "y" }))).toBe(false);
    expect(alike(a, tool("b", "email_send"))).toBe(false);
  });

  it("never has anything critical, nor too many", () => {
    expect(whyNotTogether([tool("a", "x", "critical")])).toBe("1 is of critical risk, which is decided one by one");
    expect(whyNotTogether([tool("a", "x", "critical"), tool("b", "x", "critical")])).toContain(
      "2 are of critical risk",
    );
    expect(whyNotTogether(Array.from({ length: batchMax }, (_, i) => tool(`${i}`, "x")))).toBe("");
    expect(whyNotTogether(Array.from({ length: batchMax + 1 }, (_, i) => tool(`${i}`, "x")))).toBe(
      "At most 1,000 go together",
    );
  });

  it("does only what may be done with each", () => {
    const choice = someApproval({ id: "c", kind: "choice", acts: ["choose", "reject"] });
    const seen = someApproval({ id: "s", acts: [] });
    expect(whyNotAct([someApproval()], "approve")).toBe("");
    expect(whyNotAct([choice], "approve")).toBe("1 of them needs an answer of its own (choice)");
    expect(whyNotAct([choice], "reject")).toBe("");
    expect(whyNotAct([seen], "reject")).toBe("You may not reject 1 of them");
  });

  it("adds up amounts digit by digit, of one currency only", () => {
    const of = (...proposed: string[]) =>
      totalsOf(proposed.map(($json, i) => someApproval({ id: `${i}`, proposed: { $json } })));
    expect(of('{"amount":1200.10,"n":1}', '{"amount":34567.2,"n":1}')).toEqual([
      { label: "Amount", text: "35,767.30" },
    ]);
    expect(of('{"amount":-2000,"currency":"EUR"}', '{"amount":500,"currency":"EUR"}')).toEqual([
      { label: "Amount", text: "−1,500 EUR" },
    ]);
    expect(of('{"amount":1,"currency":"EUR"}', '{"amount":1,"currency":"USD"}')).toEqual([]);
    expect(of('{"amount":1}', '{"other":1}')).toEqual([]);
  });

  it("tells for each what became of it", () => {
    const problem = (code: string, detail: string) => ({
      code,
      detail,
      title: code,
      status: 409,
      hint: "",
      errors: [],
      type: "",
    });
    const results = {
      results: [
        { id: "a", ok: true, status: "approved" },
        { id: "b", ok: false, error: problem("already_decided", "maria approved this 2 s ago") },
        { id: "c", ok: false, error: problem("version_mismatch", "it changed") },
        { id: "d", ok: false, error: problem("conflict", "you have voted") },
        { id: "e", ok: false, error: problem("forbidden", "not your role") },
        { id: "f", ok: false },
      ],
    } as BatchResults;
    const chosen = new Map(["a", "b", "c", "d", "e", "f"].map((id) => [id, someApproval({ id, title: `T ${id}` })]));
    expect(fatesOf(chosen, results).map((f) => [f.title, f.kind, f.reason])).toEqual([
      ["T a", "done", ""],
      ["T b", "skipped", "maria approved this 2 s ago"],
      ["T c", "skipped", "it changed"],
      ["T d", "skipped", "you have voted"],
      ["T e", "failed", "not your role"],
      ["T f", "failed", "No reason was told"],
    ]);
  });
});
