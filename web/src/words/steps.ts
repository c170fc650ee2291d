import type { Step } from "../api/types";
import { plural, title } from "./format";

/** The failed steps: "the step Load failed", "2 steps failed: Load, Send"; empty if there are none. */
export function failedNames(steps: Pick<Step, "id" | "status">[]): string {
  const names = steps.filter((s) => s.status === "failed").map((s) => title(s.id));
  if (names.length === 0) return "";
  if (names.length === 1) return `the step ${names[0]} failed`;
  const shown = names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
  return `${plural(names.length, "step")} failed: ${shown}`;
}

/** Who performs a step, by name: "mcp:xml/parse" → "Parse of Xml"; empty if that is what the step is called. */
export function performer(step: string, by: string): string {
  const [, server, tool] = /^mcp:([^/]+)\/(.+)$/.exec(by) ?? [];
  if (server && tool) return `${title(tool)} of ${title(server)}`;
  const [, workflow] = /^workflow:(.+)$/.exec(by) ?? [];
  if (workflow) return `Workflow ${title(workflow)}`;
  return title(by) === title(step) ? "" : title(by);
}
