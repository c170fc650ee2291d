import type { Approval } from "../api/types";
import { title } from "./format";

export type Change = NonNullable<Approval["changed"]>[number];

const kinds: Record<string, string> = {
  agent: "agent",
  builtin: "built-in tool",
  mcp_server: "MCP server",
  mcp_tool: "MCP tool",
  tool: "tool",
  workflow: "workflow",
};

/** "The tool refund was changed after it was approved: version 3 → 4." */
export function changeText({ kind, name, from, to }: Change): string {
  const what = `The ${kinds[kind] ?? title(kind).toLowerCase()} ${name}`;
  if (!from) return `${what} is used now and was not when it was approved.`;
  if (!to) return `${what} is no longer used.`;
  const after = `${what} was changed after it was approved`;
  return isNumber(from) && isNumber(to) ? `${after}: version ${from} → ${to}.` : `${after}.`;
}

const isNumber = (text: string) => /^\d+$/.test(text);

/** What the agent in the loop wants, as the end of "The adviser wants to …". */
export const adviceWord: Record<string, string> = {
  continue: "continue as planned",
  replan: "add steps",
  abort: "end the run",
  ask: "ask people",
  pause: "pause the run",
};

/** The same as a heading: "Add steps". */
export const adviceText = (action: string): string => title(adviceWord[action] ?? action);
