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
