import type { Change } from "../api/types";
import { plain, plainText, type Raw, treeOf } from "../json";
import { act, onTimeout } from "./enums";
import { channelKind, verifyKind } from "./enumsLater";
import { duration, title } from "./format";
import { notified } from "./notifications";
import { performer } from "./steps";

// The fields of documents and their values, as the forms call them. Comparisons and conflicts use the same words.

type Words = Record<string, string>;

/** The words of a select; what applies by default is not written. */
export const optionsOf = (words: Readonly<Words>, byDefault?: string): { value: string; label: string }[] =>
  Object.entries(words).map(([value, label]) => ({ value: value === byDefault ? "" : value, label }));

export const rejectWord: Words = {
  fail: "The run fails",
  cancel: "The run is cancelled",
  revise: "The work is repeated with the reason",
  tell: "The run continues without it",
};

export const thenWord: Words = {
  approve: "Approve it",
  reject: "Reject it",
  cancel: "Cancel the run",
  default: "Use the default",
  pause: "Pause the run",
  escalate: "Escalate it",
};

export const answerKind: Words = {
  approval: "Approve or reject",
  choice: "Choose an option",
  input: "Fill in a form",
  escalation: "Decide with more authority",
};

export const requesterWord: Words = { allowed: "May decide", excluded: "May not decide" };
export const missingWord: Words = { ask: "Ask", ignore: "Do not ask" };
export const urgencyWord: Words = { low: "Low", normal: "Normal", high: "High", critical: "Critical" };
export const snapshotsWord: Words = {
  manual: "On request",
  per_layer: "After every layer",
  per_step: "After every step",
};
export const loopWord: Words = {
  always: "Are asked every time",
  critical_only: "Are asked before steps of critical risk",
  never: "Are not asked",
};
export const loopAtWord: Words = {
  per_layer: "After every layer",
  on_error: "After a failure",
  manual: "On request",
};
export const fallbackWord: Words = {
  continue: "The run continues",
  pause: "The run is paused",
  ask: "People decide",
};
export const replanWord: Words = {
  auto: "Are approved by people unless all are harmless",
  ask: "Are always approved by people",
  go: "Are added without asking",
};
export const learnWord: Words = {
  tools: "Names of tools",
  requests: "Names of tools, and what was asked for",
};
export const autonomyWord = {
  full: "Works alone",
  approve_milestones: "Asks at milestones",
  approve_high_risk: "Asks before risky calls",
  approve_all: "Asks before every call",
} as const;
export const limitWord: Words = { stop: "Stop the run", ask: "Ask a person" };
export const providerWord: Words = {
  openai: "OpenAI or compatible",
  anthropic: "Anthropic or compatible",
  scripted: "Script, without a model",
};
const level: Words = { low: "Low", medium: "Medium", high: "High", critical: "Critical" };

/** "before pay" → "Before Pay". */
export function placeWord(at: string): string {
  const [place = "", of = ""] = at.split(/ (.*)/s);
  if (place === "start") return "Before the run starts";
  if (place === "end") return "Before the run ends";
  if (place === "call") return of === "*" ? "Before every tool call" : `Before each call of ${toolName(of)}`;
  if (place === "before" || place === "after") return `${place === "after" ? "After" : "Before"} ${title(of)}`;
  return at;
}

/** "send_mail" → "Send mail", "mcp:xml/parse" → "Parse of XML". */
export const toolName = (tool: string): string => performer("", tool);

/** "role:press" → "Press", "ann" → "ann". */
const asked = (who: string): string => (who.startsWith("role:") ? title(who.slice("role:".length)) : who);

/** A document, or a part of one. */
export type Kind =
  | "workflow"
  | "step"
  | "gate"
  | "agent"
  | "rule"
  | "schedule"
  | "trigger"
  | "channel"
  | "notifications";

const messages: Words = {
  notify: "Messages",
  "notify.channels": "Channels",
  "notify.recipients": "Recipients",
  "notify.only": "Only there",
  "notify.urgency": "Urgency",
};

const question: Words = {
  ...messages,
  id: "Name",
  title: "Question",
  description: "Details",
  at: "Where",
  when: "Only if",
  if_missing: "If a field of the condition is missing",
  kind: "Answer",
  role: "Role",
  roles: "One of each role",
  assignees: "People",
  quorum: "Approvals needed",
  requester: "Requester",
  acts: "Answers",
  on_reject: "If rejected",
  revise: "Repeat from",
  timeout: "Deadline",
  "timeout.after": "After",
  "timeout.then": "Then",
  "timeout.default": "Default answer",
  "timeout.irreversible": "Even if it cannot be undone",
  remind: "Remind every",
  pause_after: "Pause the run after",
  escalate: "Escalation",
  "escalate.after": "After",
  "escalate.to": "To",
  show: "Show beside it",
  options: "Options",
  input_schema: "Fields of the form",
  auto_approvable: "A policy rule may answer it",
};

const asking: Words = {
  role: "Role",
  people: "Or people",
  quorum: "Approvals needed",
  timeout: "Deadline",
  "timeout.after": "After",
  "timeout.then": "Then",
  "timeout.irreversible": "Even if the next steps cannot be undone",
};

/** The words of one map, below a field. */
const below = (field: string, words: Words): Words =>
  Object.fromEntries(Object.entries(words).map(([key, word]) => [`${field}.${key}`, word]));

const labels: Record<Kind, Words> = {
  gate: question,
  step: {
    ...below("human", question),
    human: "Question",
    id: "Name",
    agent: "Agent",
    tool: "Tool",
    workflow: "Workflow",
    needs: "Waits for",
    if: "Only if",
    with: "Input",
    each: "For each of",
    width: "At once",
    timeout: "Timeout",
    retry: "After failures",
    "retry.max": "Tries",
    "retry.backoff": "Pause between tries",
    "retry.factor": "Grows by",
    "retry.max_backoff": "Longest pause",
    reversible_by: "Undone by",
    operation: "Operation",
    risk: "Risk",
    title: "Title of approvals",
    effects: "Side effects",
    sample: "Output in tests",
  },
  workflow: {
    ...messages,
    ...below("ask", asking),
    ...below("loops.human", asking),
    description: "Purpose",
    subject: "Subject of a run",
    timeout: "Timeout",
    input: "Input of a run",
    output: "Output of a run",
    stop_on_error: "Stop when a step fails",
    speculate: "Run harmless steps ahead of open approvals",
    ask: "Asked by default",
    owner_only: "Only the person who started a run may decide",
    confidence_threshold: "Ask below this confidence",
    snapshots: "Snapshots",
    sensitive: "Sensitive fields",
    hand_off: "Agents may hand over to",
    labels: "Labels",
    loops: "Between layers",
    "loops.agent": "Agent",
    "loops.agent.agent": "Agent between layers",
    "loops.agent.at": "It is asked",
    "loops.agent.timeout": "The agent answers within",
    "loops.agent.fallback": "Without its answer",
    "loops.human": "People",
    "loops.human.when": "People between layers",
    "loops.human.summary": "Summary written by",
    "loops.replan": "Steps that a run adds",
    "loops.learn": "Later searches learn",
  },
  agent: {
    ...messages,
    "notify.channels": "Also on these channels",
    "notify.recipients": "Also to",
    "notify.only": "Only these, instead of those that are told by default",
    ...below("ask", asking),
    agent: "Name",
    description: "Description",
    provider: "Provider",
    model: "Model",
    api_key: "API key",
    base_url: "Address",
    system: "Instructions",
    autonomy: "Autonomy",
    tools: "Tools",
    tool_risk: "Risk of tools",
    hand_off: "May hand over to",
    limits: "Limits of one run",
    "limits.iterations": "Turns",
    "limits.cost_usd": "Cost, US dollars",
    "limits.duration": "Time",
    "limits.on_limit": "At a limit",
    confidence_threshold: "Confidence below which people are asked",
    lessons: "Learns from corrections of its earlier work",
    ask: "Who is asked",
  },
  rule: {
    enabled: "In use",
    description: "Description",
    when: "When",
    "when.operation_type": "Operations",
    "when.tool": "Tools",
    "when.workflow": "Workflows",
    "when.agent": "Agents",
    "when.risk_level": "Risk",
    "when.data_threshold": "Fields",
    "when.custom_field": "Fields",
    "when.agent_confidence": "Agent's confidence",
    "when.confidence": "Agent's confidence",
    "when.expr": "Expression",
    action: "",
    "action.auto_approve": "Approves",
    "action.deny": "Refuses, with the reason",
    "action.irreversible": "Also approve actions that can't be undone",
    "action.rollout_percentage": "Share of cases (%)",
    "action.rollout": "Share of cases",
    "action.sample_percentage": "Review afterwards (%)",
    "action.max_uses": "Maximum uses",
    "action.expires_at": "Until",
    "action.role": "Role",
    "action.roles": "One of each role",
    "action.require_approval_count": "Approvals needed",
    "action.timeout_seconds": "Deadline",
    "action.on_timeout": "At the deadline",
    "action.escalation": "Escalation",
    "action.escalation.after_seconds": "After",
    "action.escalation.escalate_to": "To",
    "action.log_decision": "Log the decision",
    global_settings: "",
    "global_settings.business_hours_only": "Only in business hours",
    "global_settings.business_hours.monday_friday": "Monday to Friday",
    "global_settings.business_hours.saturday_sunday": "Saturday and Sunday",
  },
  schedule: {
    overlap: "If the last run has not ended",
    catch_up: "How late a run may start",
    cron: "Times",
    timezone: "Time zone",
  },
  trigger: {
    verify: "How deliveries are verified",
    dedupe: "What identifies a delivery",
    map: "Input of the run",
  },
  channel: {
    kind: "Kind",
    smtp: "Mail server",
    password: "Password",
    from: "Sender",
    plaintext: "Allow a server without encryption",
    dkim: "DKIM",
    token: "Bot token",
    signing_secret: "Signing secret",
    url: "Address",
    bot: "Bot",
    "bot.id": "App ID",
    "bot.password": "Client secret",
    "bot.tenant": "Tenant ID",
    "bot.conversation": "Room",
    secret: "Secret",
    signing_key: "Signing key",
  },
  notifications: {
    ...Object.fromEntries(Object.entries(notified).map(([event, { label }]) => [`events.${event}`, label])),
    events: "Events",
    quiet_hours: "Quiet hours",
    digest: "Summaries",
    fallback: "If a message can't be delivered",
  },
};

/** A map of words, or what turns a value into words. */
type Say = Words | ((value: string) => string);

const labelsOf = (words: Record<string, { label: string }>): Words =>
  Object.fromEntries(Object.entries(words).map(([key, { label }]) => [key, label]));

const ofAsking: Record<string, Say> = { role: title, people: asked, "timeout.then": thenWord };
const ofQuestion: Record<string, Say> = {
  at: placeWord,
  if_missing: missingWord,
  kind: answerKind,
  role: title,
  assignees: asked,
  requester: requesterWord,
  acts: labelsOf(act),
  on_reject: rejectWord,
  revise: title,
  "timeout.then": thenWord,
  "escalate.to": asked,
  "notify.recipients": asked,
  "notify.urgency": urgencyWord,
};
const prefixed = (field: string, says: Record<string, Say>): Record<string, Say> =>
  Object.fromEntries(Object.entries(says).map(([key, say]) => [`${field}.${key}`, say]));

const values: Record<Kind, Record<string, Say>> = {
  gate: ofQuestion,
  step: {
    ...prefixed("human", ofQuestion),
    agent: title,
    tool: toolName,
    workflow: title,
    needs: title,
    risk: level,
    effects: { none: "None, and no cost" },
  },
  workflow: {
    ...prefixed("ask", ofAsking),
    ...prefixed("loops.human", ofAsking),
    snapshots: snapshotsWord,
    hand_off: title,
    "notify.recipients": asked,
    "notify.urgency": urgencyWord,
    "loops.agent.agent": title,
    "loops.agent.at": loopAtWord,
    "loops.agent.fallback": fallbackWord,
    "loops.human": loopWord,
    "loops.human.when": loopWord,
    "loops.replan": replanWord,
    "loops.learn": learnWord,
  },
  agent: {
    ...prefixed("ask", ofAsking),
    autonomy: autonomyWord,
    provider: providerWord,
    tools: toolName,
    hand_off: title,
    "limits.on_limit": limitWord,
    "notify.recipients": asked,
    "notify.urgency": urgencyWord,
  },
  rule: {
    "when.risk_level": level,
    "when.operation_type": title,
    "when.workflow": title,
    "when.agent": title,
    "when.tool": toolName,
    "action.role": title,
    "action.on_timeout": labelsOf(onTimeout),
    "action.timeout_seconds": (seconds) => duration(Number(seconds) * 1000),
    "action.escalation.after_seconds": (seconds) => duration(Number(seconds) * 1000),
    "action.escalation.escalate_to": asked,
  },
  schedule: { workflow: title },
  trigger: {
    workflow: title,
    verify: labelsOf(verifyKind),
  },
  channel: { kind: labelsOf(channelKind) },
  notifications: {},
};

/** Fields below which the keys are names that people chose. */
const named = /^(with|map|sample|input|output|labels|roles|tool_risk|(human\.)?(input_schema|roles))$/;

type Part = string | number;

/** A path without the places in lists: "escalate.to". */
const keyOf = (path: readonly Part[]): string =>
  path.filter((part) => typeof part === "string" && !/^\d+$/.test(part)).join(".");

/** How many parts of a path lead to a field with keys of people's own; 0: it is not in one. */
const ownFrom = (path: readonly Part[]): number =>
  path.findIndex((_, i) => named.test(keyOf(path.slice(0, i + 1)))) + 1;

/** A field by the names of its forms: "Deadline › Then". */
export function fieldName(kind: Kind, path: readonly Part[]): string {
  const own = ownFrom(path);
  const parts = path.map((part, i) => {
    if (own > 0 && i >= own) return String(part);
    if (typeof part === "number" || /^\d+$/.test(part)) return String(Number(part) + 1);
    return find(labels[kind], keyOf(path.slice(0, i + 1))) ?? title(part);
  });
  return parts.filter(Boolean).join(" › ") || "Everything";
}

/** "/timeout/then" → the parts of the path. */
export const pathOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

const find = <T>(words: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(words, key) ? words[key] : undefined;

/** The value of a field in the words of its form. */
export function fieldValue(kind: Kind, path: readonly Part[], value: unknown): string {
  if (value === undefined || value === null) return "not set";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    if (value.length === 0) return "none";
    return value.map((one) => fieldValue(kind, path, one)).join(value.some(isObject) ? "; " : ", ");
  }
  if (isObject(value)) {
    const members = Object.entries(value);
    if (members.length === 0) return "empty";
    if (ownFrom(path) > 0 && members.some(([, one]) => typeof one === "object" && one !== null))
      return JSON.stringify(value);
    return members
      .map(([key, one]) => {
        const at = [...path, key];
        const name = fieldName(kind, at).split(" › ").at(-1) ?? key;
        return `${name}: ${fieldValue(kind, at, one)}`;
      })
      .join(", ");
  }
  const text = String(value);
  const say = find(values[kind], keyOf(path));
  if (typeof say === "function") return say(text);
  return (say && find(say, text)) ?? (text === "" ? "empty" : text);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A difference in words: values that read alike, such as "a-b" and "a_b", as they are written. */
export function changeWords(kind: Kind, { path, from, to }: Pick<Change, "path" | "from" | "to">): [string, string] {
  const words = (value: Raw | null | undefined) => {
    const tree = value ? treeOf(value) : undefined;
    return fieldValue(kind, pathOf(path), tree?.kind === "number" ? tree.text : plain(value));
  };
  const [a, b] = [words(from), words(to)];
  return a === b && from && to ? [plainText(treeOf(from)), plainText(treeOf(to))] : [a, b];
}

/** What a list of differences needs to show a document in words. */
export const wordsOf = (kind: Kind) => ({
  name: (pointer: string) => fieldName(kind, pathOf(pointer)),
  values: (change: Change) => changeWords(kind, change),
});
