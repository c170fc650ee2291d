import { describe, expect, it } from "vitest";
import { compare } from "./changes";
import { editsOf, faultsOf, formOf, literalOf } from "./form";
import { add, change, firstPriority, lastPriority, move, read, remove, rolloutOf, setRollout } from "./model";
import { actionParts, whenText } from "./say";

const text = `policy: default
# Exceptions first.
rules:
  - name: Never
    priority: 1
    trigger: { operation_type: [ drop_table, truncate ] } # agreed with ops
    action: { deny: Open a change request. }
  - name: High
    priority: 2
    trigger:
      operation_type: refund
      data_threshold: { field: amount, sum: 24h, by: customer, operator: ">", value: 12345678901234567890 }
    action: { require_approval_count: 2, role: finance, timeout_seconds: 86400, on_timeout: reject }
  - name: Low
    priority: 20
    trigger: { operation_type: refund }
    action: { auto_approve: true, max_uses: 5, sample_percentage: 10 }
auto_approval:
  rules:
    - { name: Reads, conditions: { risk_level: low }, action: { auto_approve: true, rollout: { to: 50, over: 14d } } }
    - { name: Searches, conditions: {}, action: { auto_approve: true, rollout_percentage: 50 } }
`;
const names = (t: string) => read(t).rules.map((card) => card.name);
const plain = (s: string) => s.replaceAll(/[\u00a0\u202f\u2009]/g, " ");

describe("the text of a policy", () => {
  it("is read as cards in order of evaluation", () => {
    const model = read(text.replace("priority: 20", "priority: -3"));
    expect(model.rules.map((card) => [card.name, card.effect, card.place])).toEqual([
      ["Low", "approve", "rules[2]"],
      ["Never", "deny", "rules[0]"],
      ["High", "ask", "rules[1]"],
    ]);
    expect(model.automatic.map((card) => card.place)).toEqual(["auto_approval.rules[0]", "auto_approval.rules[1]"]);
    expect(read("rules: [").broken).toBe(true);
    expect(read("").broken).toBe(false);
    expect(read("- a list").broken).toBe(true);
  });

  it("keeps comments, order and every digit when one field changes", () => {
    const edited = change(text, ["rules", 1], [[["action", "role"], "treasury"]]);
    expect(edited).toBe(text.replace("role: finance", "role: treasury"));
    expect(change(edited, ["rules", 1], [[["action", "role"], undefined]])).not.toContain("role:");
  });

  it("moves a rule into a gap by its priority alone", () => {
    const moved = move(text, read(text).rules, 0, 1);
    expect(names(moved)).toEqual(["High", "Never", "Low"]);
    expect(read(moved).rules.map((card) => card.priority)).toEqual([2, 11, 20]);
    expect(moved.indexOf("name: High")).toBeLessThan(moved.indexOf("name: Never"));
    expect(moved).toContain("# agreed with ops");
  });

  it("renumbers all rules when there is no gap", () => {
    const moved = move(text, read(text).rules, 2, 1);
    expect(names(moved)).toEqual(["Never", "Low", "High"]);
    expect(read(moved).rules.map((card) => card.priority)).toEqual([10, 20, 30]);
  });

  it("moves to both ends, and rules without a priority by their place", () => {
    const { rules, automatic } = read(text);
    expect(names(move(text, rules, 2, 0))).toEqual(["Low", "Never", "High"]);
    expect(names(move(text, rules, 0, 2))).toEqual(["High", "Low", "Never"]);
    expect(read(move(text, automatic, 1, 0)).automatic.map((card) => card.name)).toEqual(["Searches", "Reads"]);
    expect(move(text, rules, 0, 3)).toBe(text);
  });

  it("adds, removes and limits rules", () => {
    const added = add(text, { name: "Low", priority: 5, trigger: {}, action: {} });
    expect(names(added)).toEqual(["Never", "High", "Low 2", "Low"]);
    expect(names(remove(added, ["rules", 2]))).toEqual(["Never", "High", "Low"]);
    expect(names(add("", { name: "First", priority: 1 }))).toEqual(["First"]);
    expect([firstPriority(read(text).rules), lastPriority(read(text).rules)]).toEqual([0, 30]);
    const [reads, searches] = read(text).automatic;
    if (!reads || !searches) throw new Error("no cards");
    expect([rolloutOf(reads.action), rolloutOf(searches.action), rolloutOf({})]).toEqual([undefined, 50, 100]);
    expect(rolloutOf(read(setRollout(text, searches, 75)).automatic[1]?.action ?? {})).toBe(75);
    expect(setRollout(text, searches, 100)).not.toContain("rollout_percentage");
  });
});

describe("a rule in words", () => {
  it("tells its effect and its condition", () => {
    const [never, high, low] = read(text).rules;
    if (!never || !high || !low) throw new Error("no cards");
    expect(actionParts(never)).toEqual(["Refuses: Open a change request."]);
    expect(actionParts(high).map(plain)).toEqual(["2 approvals needed from Finance", "after 1 d: rejects itself"]);
    expect(actionParts(low).map(plain)).toEqual(["Approves every case", "10 % reviewed afterwards", "at most 5 times"]);
    expect(whenText(never.trigger)).toBe("operation is drop_table or truncate");
    expect(whenText({})).toBe("always");
  });
});

describe("differences between two policies", () => {
  it("are told by rule, wherever it stands", () => {
    const after = add(change(text, ["rules", 1], [[["action", "role"], "treasury"]]), { name: "New", priority: 0 });
    const moved = remove(after, ["rules", 1]);
    expect(compare(read(text), read(moved)).map((c) => [c.kind, c.name])).toEqual([
      ["added", "New"],
      ["changed", "High"],
      ["removed", "Never"],
    ]);
    const [, changed] = compare(read(text), read(moved));
    expect(changed?.changes).toEqual([
      { path: "/action/role", op: "replace", from: { $json: '"finance"' }, to: { $json: '"treasury"' } },
    ]);
    expect(compare(read(text), read(text))).toEqual([]);
    const switched = text.replace("auto_approval:\n", "auto_approval:\n  enabled: false\n");
    expect(compare(read(text), read(switched)).map((c) => c.name)).toEqual(["Settings of automatic approval"]);
  });
});

describe("the form of a rule", () => {
  const [, high, low] = read(text).rules;
  it("touches only what was changed", () => {
    const before = formOf(high);
    expect(editsOf(before, before, "trigger")).toEqual([]);
    expect(editsOf(before, { ...before, role: "treasury" }, "trigger")).toEqual([[["action", "role"], "treasury"]]);
    const [one] = before.comparisons;
    if (!one) throw new Error("no comparison");
    expect(editsOf(before, { ...before, comparisons: [{ ...one, value: "99.5" }] }, "trigger")).toEqual([
      [["trigger", "data_threshold"], [{ field: "amount", sum: "24h", by: "customer", operator: ">", value: 99.5 }]],
    ]);
    expect(editsOf(before, { ...before, operations: " refund , pay_* " }, "conditions")).toEqual([
      [
        ["conditions", "operation_type"],
        ["refund", "pay_*"],
      ],
    ]);
  });

  it("drops what belongs to another effect", () => {
    const before = formOf(low);
    const after = change(text, ["rules", 2], editsOf(before, { ...before, effect: "deny", deny: "No." }, "trigger"));
    expect(read(after).rules[2]?.action).toEqual({ deny: "No." });
    expect(read(after).rules[2]?.effect).toBe("deny");
  });

  it("names what is missing or wrong", () => {
    const form = {
      ...formOf(),
      effect: "deny" as const,
      count: "0",
      sample: "101",
      confidence: "low",
      expires: "soon",
    };
    expect(Object.keys(faultsOf(form)).sort()).toEqual(["confidence", "count", "deny", "expires", "name", "sample"]);
    expect(faultsOf({ ...formOf(high), confidence: "< 0.75" })).toEqual({});
  });

  it("reads values as people mean them", () => {
    const big = "12345678901234567890";
    expect(["12", "1.5", "true", '["NO","SE"]', "NO", '{"a":1}', big].map(literalOf)).toEqual([
      12,
      1.5,
      true,
      ["NO", "SE"],
      "NO",
      '{"a":1}',
      big,
    ]);
  });
});
