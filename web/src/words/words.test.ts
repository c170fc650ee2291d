import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sorts } from "../inbox/filter";
import * as words from ".";
import { format } from ".";
import { actions } from "./actions";
import { statuses, types } from "./deliverables";

interface OpenApi {
  components: { schemas: Record<string, { enum?: string[] }> };
}
const openapi: OpenApi = JSON.parse(readFileSync("../docs/openapi.json", "utf8"));

const byName: Record<string, Record<string, { label: string }>> = {
  AccessAction: actions,
  Act: words.act,
  ActorKind: words.actorKind,
  ApprovalKind: words.approvalKind,
  ApprovalReason: words.approvalReason,
  ApprovalStatus: words.approvalStatus,
  AuditOutcome: words.auditOutcome,
  FiringOutcome: words.firingOutcome,
  MCPServerState: words.serverState,
  TrialOutcome: words.trialOutcome,
  TrialVerdict: words.trialVerdict,
  ChannelKind: words.channelKind,
  DeliveryStatus: words.deliveryStatus,
  DecidedVia: words.decidedVia,
  HookOutcome: words.hookOutcome,
  DocumentStatus: words.documentStatus,
  OnReject: words.onReject,
  ProblemCode: words.problem,
  RiskLevel: words.risk,
  RuleEffect: words.ruleEffect,
  RunStatus: words.runStatus,
  SettingSource: words.settingSource,
  SignInWay: words.signInWay,
  SkipReason: words.skipReason,
  StepStatus: words.stepStatus,
  TimeoutAct: words.onTimeout,
  TokenKind: words.tokenKind,
  VerifyKind: words.verifyKind,
};

/** Lists that stand where they are used; every one of them has to be here. */
const byPlace: [place: RegExp, words: Record<string, { label: string }> | "never shown"][] = [
  [/^\/paths\/\/api\/v1\/(events|ws)\/get=types$/, words.eventType],
  [/^\/paths\/\/api\/v1\/deliverables\/get=type$/, types],
  [/^\/paths\/\/api\/v1\/deliverables\/get=status$/, statuses],
  [
    /^\/paths\/\/api\/v1\/approvals\/get=sort$/,
    { ...sorts, newest: { label: "newest first" }, settled: { label: "of the history, always" } },
  ],
  // The pages do not ask for these yet; the command line does.
  [/^\/paths\/\/api\/v1\/approvals\/get=(review|group)$/, "never shown"],
  // Buttons send these; what they did comes back as events, which have words.
  [/^\/components\/schemas\/Command_\w+\/type$/, "never shown"],
  [/^\/paths\/\/api\/v1\/accounts\/\{name\}\/put=only$/, "never shown"],
];

/** Every list of values in the file, however deep, with where it stands. */
function listsIn(value: unknown, place = ""): { place: string; values: string[] }[] {
  if (typeof value !== "object" || value === null) return [];
  const part = value as Record<string, unknown>;
  const found: { place: string; values: string[] }[] = [];
  if (Array.isArray(part.enum)) found.push({ place, values: part.enum.map(String) });
  if (typeof part.const === "string") found.push({ place, values: [part.const] });
  for (const [key, inner] of Object.entries(part)) {
    const name = Array.isArray(value) ? (inner as { name?: string } | null)?.name : key;
    const step = Array.isArray(value)
      ? `=${name ?? key}`
      : /^(schema|items|properties|parameters)$/.test(key)
        ? ""
        : `/${key}`;
    found.push(...listsIn(inner, place + step));
  }
  return found;
}

describe("every value of the API has a word", () => {
  const named = Object.entries(openapi.components.schemas).flatMap(([name, { enum: values }]) =>
    values ? [[name, values] as const] : [],
  );
  it.each(named)("%s", (name, values) => {
    expect(byName, `words for ${name}`).toHaveProperty(name);
    for (const value of values) expect(byName[name]?.[value]?.label, `${name} ${value}`).toBeTruthy();
  });

  const nameOf = new Map(named.map(([name, values]) => [values.join(), name]));
  const others = listsIn(openapi).filter(({ values }) => !nameOf.has(values.join()));
  it("there are such lists", () => {
    expect(named.length).toBeGreaterThan(10);
    expect(others.length).toBeGreaterThan(10);
  });
  it.each(others.map(({ place, values }) => [place, values] as const))("%s", (place, values) => {
    const found = byPlace.find(([where]) => where.test(place))?.[1];
    expect(found, `words for what stands at ${place}: ${values.join(", ")}`).toBeDefined();
    if (found !== "never shown")
      for (const value of values) expect(found?.[value]?.label, `${place} ${value}`).toBeTruthy();
  });

  it("what comes later is made readable", () => {
    expect(words.eventWord("made.up_later").label).toBe("Made up later");
    expect(words.deliverableType("made_up").label).toBe("Made up");
  });
});

// What a member holds that has words: printed as it is, it would be a raw value on the page.
const coded = "status|kind|act|acts|effect|level|way|outcome|skipped|then|on_reject|on_timeout";

it("no page prints such a value itself", () => {
  const printed = new RegExp(`(?:>|^)\\s*\\{[\\w.?!]*\\b(?:${coded})\\}`, "m");
  expect(printed.test("<p>{run.status}</p>")).toBe(true);
  expect(printed.test("<p>\n  {step.skipped}\n</p>")).toBe(true);
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((f) => /(?<!\.test)\.tsx$/.test(f));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((file) => printed.test(readFileSync(`src/${file}`, "utf8")))).toEqual([]);
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
    expect(text(format.relative(3 * 86_400_000 - 60_000, 0))).toBe("in 2 d 23 h");
    expect(text(format.relative(119_000, 0))).toBe("in 1 min 59 s");
    expect(text(format.relative(9500, 0))).toBe("in 9 s");
    expect(text(format.relative(12.5 * 86_400_000, 0))).toBe("in 12 d");
    expect(text(format.relative(0, 3 * 86_400_000 - 60_000))).toBe("2 d ago");
    expect(format.relative(1000, 2000)).toBe("now");
    expect(format.title("send_refund-email")).toBe("Send refund email");
    expect(format.title("it_lead")).toBe("IT lead");
    expect(format.title("write_item_id")).toBe("Write item ID");
    expect(format.shortId("run_06gxwyxet2jq6wmxhg6sg7w0j8")).toBe("…6sg7w0j8");
  });
});
