import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as words from ".";
import { format } from ".";

interface OpenApi {
  components: { schemas: Record<string, { enum?: string[] }> };
  paths: Record<string, { get: { parameters: { name: string; schema: { items: { enum: string[] } } }[] } }>;
}
const openapi: OpenApi = JSON.parse(readFileSync("../docs/openapi.json", "utf8"));

const byName: Record<string, Record<string, { label: string }>> = {
  Act: words.act,
  ActorKind: words.actorKind,
  ApprovalKind: words.approvalKind,
  ApprovalReason: words.approvalReason,
  ApprovalStatus: words.approvalStatus,
  AuditOutcome: words.auditOutcome,
  OnReject: words.onReject,
  ProblemCode: words.problem,
  RiskLevel: words.risk,
  RuleEffect: words.ruleEffect,
  RunStatus: words.runStatus,
  SignInWay: words.signInWay,
  SkipReason: words.skipReason,
  StepStatus: words.stepStatus,
  TimeoutAct: words.onTimeout,
  TokenKind: words.tokenKind,
};

describe("every value of the API has a word", () => {
  const enums = Object.entries(openapi.components.schemas).filter(([, schema]) => schema.enum);
  it.each(enums.map(([name, schema]) => [name, schema.enum ?? []] as const))("%s", (name, values) => {
    expect(byName, `words for ${name}`).toHaveProperty(name);
    for (const value of values) expect(byName[name]?.[value]?.label, `${name} ${value}`).toBeTruthy();
  });

  it("event types", () => {
    const types =
      openapi.paths["/api/v1/events"]?.get.parameters.find((p) => p.name === "types")?.schema.items.enum ?? [];
    expect(types.length).toBeGreaterThan(20);
    for (const type of types) expect(Object.keys(words.eventType), type).toContain(type);
    expect(words.eventWord("made.up_later").label).toBe("Made up later");
  });
});

const text = (s: string) => s.replaceAll("\u00a0", " ");

describe("formats", () => {
  it.each([
    [12, "12 ms"],
    [1500, "1.5 s"],
    [9999, "9.9 s"],
    [59_999, "59 s"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [93_784_000, "1 d 2 h"],
    [-2000, "−2 s"],
  ])("duration %d", (ms, want) => expect(text(format.duration(ms))).toBe(want));

  it.each([
    ["0", "$0.00"],
    ["0.0375", "$0.0375"],
    ["1234567.5", "$1,234,567.50"],
    ["90071992547409931.10", "$90,071,992,547,409,931.10"],
    ["-3.00", "−$3.00"],
    [null, "–"],
  ])("money %s", (usd, want) => expect(format.money(usd)).toBe(want));

  it("bytes, counts, relative times", () => {
    expect(text(format.bytes(999))).toBe("999 B");
    expect(text(format.bytes(1536))).toBe("1.5 kB");
    expect(text(format.bytes(999_999))).toBe("1.0 MB");
    expect(format.plural(1, "change")).toBe("1 change");
    expect(format.plural(1200, "change")).toBe("1,200 changes");
    expect(text(format.relative(0, 125_000))).toBe("2 min ago");
    expect(text(format.relative(7_200_000, 0))).toBe("in 2 h");
    expect(format.relative(1000, 2000)).toBe("now");
    expect(format.title("send_refund-email")).toBe("Send refund email");
    expect(format.shortId("run_06gxwyxet2jq6wmxhg6sg7w0j8")).toBe("…6sg7w0j8");
  });
});
