import { isMap, parseDocument } from "yaml";
import type { AgentUsage } from "../api/agents";
import { format } from "../words";

/** An agent's document as plain values; empty if the text cannot be read. */
export function readAgent(text: string): Record<string, unknown> {
  const doc = parseDocument(text);
  if (doc.errors.length > 0 || !isMap(doc.contents)) return {};
  const value: unknown = doc.toJS();
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function broken(text: string): boolean {
  const doc = parseDocument(text);
  return doc.errors.length > 0 || !isMap(doc.contents);
}

/** The text with another value at a place; undefined and empty values are removed. Everything else stays as written. */
export function setAt(text: string, path: string[], value: unknown): string {
  const doc = parseDocument(text, { intAsBigInt: true });
  const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  if (empty && path.join() !== "agent") {
    doc.deleteIn(path);
    const [parent] = path;
    const left = parent === undefined ? undefined : doc.getIn([parent]);
    if (path.length > 1 && isMap(left) && left.items.length === 0) doc.deleteIn([parent]);
  } else doc.setIn(path, doc.createNode(value));
  return doc.toString({ lineWidth: 0 });
}

/** "a, b" → the names in it. */
export const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

export const autonomies = {
  full: { label: "Works alone", sentence: "Every call runs without asking. Gates and the policy still apply." },
  approve_milestones: { label: "Asks at milestones", sentence: "Calls run; people approve each milestone." },
  approve_high_risk: { label: "Asks before risky calls", sentence: "Safe calls run; people approve risky ones." },
  approve_all: { label: "Asks before every call", sentence: "People approve every call and every milestone." },
} as const;
export type Autonomy = keyof typeof autonomies;

export function autonomyOf(value: unknown): Autonomy {
  return typeof value === "string" && Object.hasOwn(autonomies, value) ? (value as Autonomy) : "approve_high_risk";
}

/** What does the work, in words. */
export function kindText(agent: Record<string, unknown>): string {
  const providers: Record<string, string> = { openai: "OpenAI", anthropic: "Anthropic", scripted: "Script" };
  switch (agent.kind) {
    case "llm": {
      const provider = String(agent.provider ?? "");
      const name = Object.hasOwn(providers, provider) ? providers[provider] : provider;
      return [name, agent.model].filter(Boolean).join(" · ") || "Language model";
    }
    case "http":
      return "Service";
    case "command":
      return "Program";
    case "mcp":
      return "Tool of a server";
    case "scripted":
      return "Fixed answers";
    default:
      return "Agent";
  }
}

/** "12 runs · 30 steps · $1.20": what an agent did. */
export function usageText(used: AgentUsage): string {
  const parts = [format.plural(used.runs, "run"), format.plural(used.steps, "step")];
  if (Number(used.cost_usd) > 0) parts.push(format.money(used.cost_usd));
  return parts.join(" · ");
}

/** Work before an upgrade was not counted; empty if all of it was. */
export function countedSince(at: string | null): string {
  return at ? `Use and cost are counted since ${format.day(Date.parse(at))}, when this release was installed.` : "";
}

/** Words for the risk of a tool, as an agent or a tool's document rates it. */
export const toolRisk = {
  safe: { label: "Safe", tone: "ok" },
  low: { label: "Low", tone: "ok" },
  medium: { label: "Medium", tone: "warn" },
  high: { label: "High", tone: "bad" },
  critical: { label: "Critical", tone: "bad" },
  approval_required: { label: "Needs approval", tone: "warn" },
} as const;
export type ToolRisk = keyof typeof toolRisk;
export const knownRisk = (value: unknown): value is ToolRisk =>
  typeof value === "string" && Object.hasOwn(toolRisk, value);

export const template = `agent: ""
kind: llm
provider: openai
model: ""
system: ""
autonomy: approve_high_risk
`;
