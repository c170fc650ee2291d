import type { RiskLevel, RuleEffect } from "../api/types";
import { type Card, type Edits, numberOf, object, rolloutOf, words } from "./model";

/** One comparison of a field. Keys that the form does not know stay as they are. */
export interface Comparison {
  field: string;
  operator: string;
  value: string;
  /** "" compares each action; otherwise the sum in a run or a period. */
  sum: string;
  rest: Record<string, unknown>;
}

/** A rule as a form shows it: everything is text. */
export interface RuleForm {
  name: string;
  effect: Exclude<RuleEffect, "none">;
  operations: string;
  risks: RiskLevel[];
  workflows: string;
  agents: string;
  tools: string;
  comparisons: Comparison[];
  confidence: string;
  expr: string;
  role: string;
  count: string;
  hours: string;
  onTimeout: string;
  deny: string;
  rollout: number | undefined;
  sample: string;
  uses: string;
  expires: string;
  irreversible: boolean;
}

export const operators = [">", ">=", "<", "<=", "==", "!=", "in", "not in", "contains", "startsWith", "endsWith"];

const emptyCard: Pick<Card, "name" | "effect" | "trigger" | "action"> = {
  name: "",
  effect: "ask",
  trigger: {},
  action: {},
};

const list = (value: unknown) => words(value).join(", ");
const items = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const text = (value: unknown) => (value === undefined || value === null ? "" : String(value));

export function formOf(card: Pick<Card, "name" | "effect" | "trigger" | "action"> = emptyCard): RuleForm {
  const { trigger, action } = card;
  const seconds = numberOf(action.timeout_seconds);
  return {
    name: card.name,
    effect: card.effect === "none" ? "ask" : card.effect,
    operations: list(trigger.operation_type),
    risks: words(trigger.risk_level) as RiskLevel[],
    workflows: list(trigger.workflow),
    agents: list(trigger.agent),
    tools: list(trigger.tool),
    comparisons: comparisonsOf(trigger.data_threshold),
    confidence: confidenceOf(trigger.agent_confidence ?? trigger.confidence),
    expr: text(trigger.expr),
    role: text(action.role),
    count: text(action.require_approval_count),
    hours: seconds === undefined ? "" : String(Number((seconds / 3600).toFixed(4))),
    onTimeout: text(action.on_timeout),
    deny: text(action.deny),
    rollout: rolloutOf(action),
    sample: text(action.sample_percentage),
    uses: text(action.max_uses),
    expires: text(action.expires_at),
    irreversible: action.irreversible === true,
  };
}

function comparisonsOf(value: unknown): Comparison[] {
  const all = Array.isArray(value) ? value : value ? [value] : [];
  return all.map((one) => {
    const { field, operator, value: limit, sum, ...rest } = object(one);
    return {
      field: text(field),
      operator: text(operator),
      value: typeof limit === "string" ? limit : JSON.stringify(limit ?? ""),
      sum: text(sum),
      rest,
    };
  });
}

function confidenceOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { operator, value: limit } = object(value);
  return operator === undefined ? "" : `${String(operator)} ${String(limit)}`;
}

/** Numbers, true, false, null and lists as such; everything else is a text. */
export function literalOf(written: string): unknown {
  const trimmed = written.trim();
  if (/^-?\d+(\.\d+)?$/.test(trimmed) && !Number.isSafeInteger(Number(trimmed)) && !trimmed.includes("."))
    return trimmed;
  try {
    const value: unknown = JSON.parse(trimmed);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? written : value;
  } catch {
    return written;
  }
}

/** The problem of each field, by its name; the server checks the rest. */
export function faultsOf(form: RuleForm): Partial<Record<keyof RuleForm, string>> {
  const out: Partial<Record<keyof RuleForm, string>> = {};
  const number = (key: "count" | "hours" | "sample" | "uses", least: number, most: number, what: string) => {
    const n = Number(form[key]);
    if (form[key].trim() !== "" && !(Number.isFinite(n) && n >= least && n <= most)) out[key] = what;
  };
  if (form.name.trim() === "") out.name = "Give the rule a name";
  if (form.effect === "deny" && form.deny.trim() === "") out.deny = "Say why, for the agent and the people who read it";
  number("count", 1, 100, "A number from 1");
  number("hours", 0.0003, 87_600, "Hours, such as 24");
  number("sample", 0, 100, "A percentage from 0 to 100");
  number("uses", 1, 1e9, "A number from 1");
  if (form.expires && Number.isNaN(Date.parse(form.expires))) out.expires = "A date such as 2027-01-31";
  if (form.confidence && !/^\s*[<>=!]{1,2}\s*(0(\.\d+)?|1(\.0+)?|\.\d+)\s*$/.test(form.confidence))
    out.confidence = "A comparison such as < 0.75";
  if (form.comparisons.some((c) => c.field.trim() === "" || c.value.trim() === ""))
    out.comparisons = "Each comparison needs a field and a value";
  return out;
}

/** The changes between two states of a form, as paths within the rule: what was not touched stays as written. */
export function editsOf(before: RuleForm, after: RuleForm, triggerKey: "trigger" | "conditions"): Edits {
  const out: Edits = [];
  const set = (key: keyof RuleForm, path: string[], value: unknown) => {
    if (JSON.stringify(before[key]) !== JSON.stringify(after[key])) out.push([path, value]);
  };
  const names = (key: "operations" | "workflows" | "agents" | "tools", name: string) => {
    const all = items(after[key]);
    set(key, [triggerKey, name], all.length === 0 ? undefined : all);
  };
  set("name", ["name"], after.name.trim());
  names("operations", "operation_type");
  set("risks", [triggerKey, "risk_level"], after.risks.length === 0 ? undefined : after.risks);
  names("workflows", "workflow");
  names("agents", "agent");
  names("tools", "tool");
  set(
    "comparisons",
    [triggerKey, "data_threshold"],
    after.comparisons.length === 0
      ? undefined
      : after.comparisons.map(({ field, operator, value, sum, rest }) => ({
          field: field.trim(),
          ...(sum ? { sum } : {}),
          ...rest,
          operator,
          value: literalOf(value),
        })),
  );
  set("confidence", [triggerKey, "agent_confidence"], after.confidence.trim() || undefined);
  set("expr", [triggerKey, "expr"], after.expr.trim() || undefined);
  return [...out, ...actionEdits(before, after)];
}

/** Which keys of an action belong to which effect: those of another one are removed. */
function actionEdits(before: RuleForm, after: RuleForm): Edits {
  const out: Edits = [];
  const is = after.effect;
  const set = (key: keyof RuleForm, name: string, value: unknown, on: boolean) => {
    const same = JSON.stringify(before[key]) === JSON.stringify(after[key]) && before.effect === is;
    if (!same) out.push([["action", name], on ? value : undefined]);
  };
  const number = (written: string) => (written.trim() === "" ? undefined : Number(written));
  set("effect", "auto_approve", true, is === "approve");
  set("deny", "deny", after.deny.trim(), is === "deny");
  set("role", "role", after.role.trim() || undefined, is !== "deny");
  set("count", "require_approval_count", number(after.count), is !== "deny");
  const hours = number(after.hours);
  set("hours", "timeout_seconds", hours === undefined ? undefined : Math.round(hours * 3600), is !== "deny");
  set("onTimeout", "on_timeout", hours === undefined ? undefined : after.onTimeout || undefined, is !== "deny");
  if (after.rollout !== undefined)
    set("rollout", "rollout_percentage", after.rollout >= 100 ? undefined : after.rollout, is === "approve");
  set("sample", "sample_percentage", number(after.sample), is === "approve");
  set("uses", "max_uses", number(after.uses), is === "approve");
  set("expires", "expires_at", after.expires || undefined, is === "approve");
  set("irreversible", "irreversible", after.irreversible || undefined, is === "approve");
  return out;
}
