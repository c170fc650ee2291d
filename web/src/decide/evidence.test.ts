import { describe, expect, it } from "vitest";
import { treeOf } from "../json";
import { evidenceFor, knownIn, sameValue } from "./evidence";
import { keyFacts } from "./keyFacts";
import { currencyOf, dateText, isMoney, moneyText } from "./typed";

const members = (json: string) => {
  const tree = treeOf(json);
  return tree.kind === "object" ? tree.members : [];
};

describe("typed values", () => {
  it.each([
    ["2400.0", "EUR", "€2,400.00"],
    ["89.5", "USD", "$89.50"],
    ["1234567.125", "GBP", "£1,234,567.125"],
    ["-3", "CHF", "−3.00 CHF"],
    ["5000", "JPY", "¥5,000"],
    ["12345678901234567890", undefined, "12,345,678,901,234,567,890"],
    ["1e9", "EUR", "1e9 EUR"],
  ])("%s %s is %s, with every digit", (number, currency, wanted) => {
    expect(moneyText(number, currency)).toBe(wanted);
  });

  it("know dates, and nothing else as one", () => {
    expect(dateText("2026-01-09")).toBe("9 Jan 2026");
    expect(["2026-13-09", "2026-1-9", "A-2026-01-09", "20260109"].map(dateText)).toEqual(Array(4).fill(undefined));
  });

  it("take the currency from the name or from beside, if there is one", () => {
    expect(currencyOf("fee_usd", [])).toBe("USD");
    expect(currencyOf("amount", members('{"currency":"EUR"}'))).toBe("EUR");
    expect(currencyOf("amount", members('{"currency":"euro"}'))).toBeUndefined();
    expect(currencyOf("amount", members('{"pay_currency":"EUR","fee_currency":"USD"}'))).toBeUndefined();
    expect(["amount", "order.total", "refundAmount", "claim_amount"].every(isMoney)).toBe(true);
    expect(["earlier_refunds", "amount_id", "sum_insured_days", "count"].some(isMoney)).toBe(false);
  });
});

describe("evidence", () => {
  const shown = (json: string) => knownIn(treeOf(json), true);
  const found = (proposed: string, show: string) => Object.fromEntries(evidenceFor(members(proposed), shown(show)));

  it("says equal of the same value alone, to the last digit", () => {
    const same = (a: string, b: string) => sameValue(treeOf(a), treeOf(b));
    expect(same("2400.0", "2400.00")).toBe(true);
    expect(same("9007199254740993", "9007199254740992")).toBe(false);
    expect(same("2400", '"2400"')).toBe(false);
    expect(same('"A"', '"a"')).toBe(false);
    expect(same("0.0", "-0")).toBe(true);
  });

  it("stands beside the field that it verifies", () => {
    expect(
      found('{"amount":2400.0,"to":"c@example.com"}', '{"order.total":2400.00,"order.email":"c@example.com"}'),
    ).toEqual({
      amount: [{ from: "order.total", text: "2400.00", equal: true }],
      to: [{ from: "order.email", text: "c@example.com", equal: true }],
    });
  });

  it("never leaves a difference out", () => {
    const { amount } = found('{"amount":2400}', '{"a.amount":2400,"b.amount":2400,"order.total":1900,"c.amount":7}');
    expect(amount?.filter((e) => !e.equal).map((e) => e.from)).toEqual(["order.total", "c.amount"]);
  });

  it("claims nothing of what only looks alike", () => {
    expect(found('{"subject":"Refund","n":1}', '{"ticket.subject":"Broken","order.count":1}')).toEqual({});
    expect(found('{"amount":2400}', '{"order.total":"2400"}')).toEqual({});
    const step = knownIn(treeOf('{"order":{"total":1900}}'), false);
    expect(evidenceFor(members('{"amount":2400}'), step).size).toBe(0);
  });
});

describe("what a decision is about", () => {
  const facts = (proposed: string, title = "Pay", show = "{}") => {
    const known = knownIn(treeOf(show), true);
    const fields = members(proposed);
    const made = keyFacts(fields, { schema: {}, title, evidence: evidenceFor(fields, known), known });
    return made.map((f) => f.text);
  };

  it("begins with the money, and says whom, what and what was before", () => {
    const refund = '{"subject":"Your refund","to":"c@example.com","amount":2400.0,"currency":"EUR","body":"a\\nb"}';
    expect(facts(refund, "Pay", '{"order.earlier_refunds":1}')).toEqual([
      "€2,400.00",
      "c@example.com",
      "1 earlier refund",
    ]);
  });

  it("says nothing twice, and nothing in part", () => {
    expect(facts('{"path":"a.csv","content":"x"}', "Write the file a.csv")).toEqual(["x"]);
    expect(facts(JSON.stringify({ to: "x".repeat(81) }))).toEqual([]);
  });
});
