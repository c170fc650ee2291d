import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../api/audit";
import { rawOf } from "../json";
import { format } from "../words";
import { actions, byDay, didText, reasonOf, whoText } from "./say";

const entry = (more: object, detail: object = {}): AuditEntry =>
  ({
    n: 1,
    at: "2026-11-17T10:00:00Z",
    actor: { kind: "person", name: "ann" },
    action: "approval.decided",
    target: "apr_1",
    outcome: "done",
    detail: rawOf(detail),
    prev: "",
    hash: "",
    ...more,
  }) as AuditEntry;

describe("an audit entry in words", () => {
  it("says who did what, and why", () => {
    const detail = { act: "reject", step: "pay", workflow: "refund" };
    expect(didText(entry({}, detail))).toBe("rejected an approval at Pay in a run of Refund");
    expect(reasonOf(entry({ values: { comment: rawOf("No receipt.") } }, detail))).toBe("No receipt.");
    expect(didText(entry({ action: "definition.published", target: "workflow/refund" }, { version: 3 }))).toBe(
      "published the workflow Refund, version 3",
    );
    expect(didText(entry({ action: "policy.emergency_stop", target: "policy" }, { on: false }))).toBe(
      "lifted the emergency stop",
    );
    expect(whoText({ kind: "policy", name: "Small" })).toBe("The rule “Small”");
    expect(whoText({ kind: "service", name: "nightly" })).toBe("Service nightly");
    expect(whoText({ kind: "system", name: "audit" })).toBe("Assent");
  });

  it("says what was refused, and why", () => {
    const refused = entry({ action: "definition.saved", target: "policy/", outcome: "refused" }, { why: "too risky" });
    expect(didText(refused)).toBe("was refused saving the policy");
    expect(reasonOf(refused)).toBe("too risky");
    expect(didText(entry({ outcome: "refused" }, { act: "modify" }))).toMatch(/^was refused changing and approving an/);
    expect(didText(entry({ action: "run.cancelling", outcome: "refused" }))).toBe("was refused asking to cancel a run");
  });

  it("knows every action that the documentation lists, and tells others as they are", () => {
    const rows = readFileSync("../docs/audit.md", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| "));
    const listed = rows.flatMap((row) => [...row.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map((m) => m[1] ?? ""));
    expect(listed.length).toBeGreaterThan(40);
    expect(listed.filter((action) => !Object.hasOwn(actions, action))).toEqual([]);
  });

  it("has words for every attempt that is only recorded when it is refused", () => {
    const refused = (action: string, target: string, detail: object = {}) =>
      didText(entry({ action, target, outcome: "refused" }, detail));
    expect(refused("access.listAccounts", "GET /api/v1/accounts")).toBe("was refused the request GET /api/v1/accounts");
    expect(refused("run.command", "run_1", { count: 12 })).toBe("was refused sending a command to a run, 12 times");
    expect(refused("working_copy.deleted", "workflow/pay_out")).toBe(
      "was refused discarding the draft of the workflow Pay out",
    );
    // Those that the server's code names, and the word for all of those that were too many.
    const named = readdirSync("../internal", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".go") && !file.endsWith("_test.go") && !file.includes("storetest"))
      .flatMap((file) => [
        ...readFileSync(`../internal/${file}`, "utf8").matchAll(/[Rr]efus(?:ed|ing)\([^"\n]*"([a-z_]+\.[a-z_]+)"/g),
      ])
      .map((match) => match[1] ?? "");
    expect(named.length).toBeGreaterThan(15);
    for (const action of [...named, "run.command"])
      expect(refused(action, "workflow/x"), action).not.toContain(format.title(action).toLowerCase());
  });

  it("stands under its day", () => {
    const at = (time: string) => entry({ at: time });
    const days = byDay([at("2026-11-17T10:00:00Z"), at("2026-11-17T09:00:00Z"), at("2026-11-15T09:00:00Z")]);
    expect(days.map((d) => d.entries.length)).toEqual([2, 1]);
  });
});
