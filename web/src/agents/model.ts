import type { AgentUsage } from "../api/agents";
import { readText } from "../document/text";
import { format } from "../words";
import { autonomyWord } from "../words/fields";

/** An agent's document as plain values; empty if the text cannot be read. */
export const readAgent = (text: string): Record<string, unknown> => readText(text) ?? {};

/** The keys in the order in which people write them. */
export const order = {
  keys: [
    "agent",
    "description",
    "kind",
    "provider",
    "model",
    "api_key",
    "base_url",
    "system",
    "autonomy",
    "tools",
    "tool_risk",
    "hand_off",
    "limits",
    "confidence_threshold",
    "notify",
    "lessons",
  ],
} as const;

export const autonomies = {
  full: { label: autonomyWord.full, sentence: "Every call runs without asking. Gates and the policy still apply." },
  approve_milestones: { label: autonomyWord.approve_milestones, sentence: "Calls run; people approve each milestone." },
  approve_high_risk: { label: autonomyWord.approve_high_risk, sentence: "Safe calls run; people approve risky ones." },
  approve_all: { label: autonomyWord.approve_all, sentence: "People approve every call and every milestone." },
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
  return at ? `Usage and cost are counted since ${format.day(Date.parse(at))}, when this release was installed.` : "";
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
