import { expect, it } from "vitest";
import { listOf, setText } from "../document/text";
import { autonomyOf, countedSince, kindText, knownRisk, order, readAgent, usageText } from "./model";

const text = `agent: clerk # the only one
kind: llm
provider: openai
model: gpt-4o
limits: { cost_usd: 1 }
sample: { id: 12345678901234567890 }
`;

const setAt = (now: string, path: string[], value: unknown) => setText(now, path, value, order);

it("changes one value and leaves the rest as written", () => {
  expect(setAt(text, ["model"], "gpt-5")).toBe(text.replace("gpt-4o", "gpt-5"));
  expect(setAt(text, ["tools"], ["read_file"])).toBe(text.replace("limits:", "tools: [read_file]\nlimits:"));
});

it("removes what is empty, and what holds nothing any longer, but never the name", () => {
  expect(setAt(text, ["limits", "cost_usd"], "")).not.toContain("limits");
  expect(setAt(text, ["model"], "")).not.toContain("model");
  expect(setAt(text, ["agent"], "")).toContain('agent: ""');
});

it("says what an agent is", () => {
  expect(kindText(readAgent(text))).toBe("OpenAI · gpt-4o");
  expect(kindText({ kind: "http" })).toBe("Service");
  expect([autonomyOf("full"), autonomyOf("toString"), autonomyOf(undefined)]).toEqual([
    "full",
    "approve_high_risk",
    "approve_high_risk",
  ]);
  expect([knownRisk("safe"), knownRisk("toString"), knownRisk(undefined)]).toEqual([true, false, false]);
  expect([readAgent("a: ["), readAgent("- a")]).toEqual([{}, {}]);
});

it("reads a line as a list, and forgets notifications that are empty", () => {
  expect(listOf(" role:finance, #ops,, ")).toEqual(["role:finance", "#ops"]);
  const told = setAt(text, ["notify", "recipients"], ["#ops"]);
  expect(readAgent(told).notify).toEqual({ recipients: ["#ops"] });
  expect(setAt(told, ["notify", "recipients"], [])).not.toContain("notify");
});

it("tells what an agent did and what it cost, if it cost anything", () => {
  const used = {
    agent: "clerk",
    runs: 1,
    steps: 1200,
    failed_steps: 0,
    llm_calls: 0,
    tokens_in: 0,
    tokens_out: 0,
    cost_usd: "0",
    last_used_at: null,
  };
  expect(usageText(used)).toBe("1 run · 1,200 steps");
  expect(usageText({ ...used, runs: 2, cost_usd: "0.0375" })).toBe("2 runs · 1,200 steps · $0.0375");
  expect(countedSince(null)).toBe("");
  expect(countedSince("2026-03-01T12:00:00Z")).toMatch(/^Usage and cost are counted since 1 Mar 2026/);
});
