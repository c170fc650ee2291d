import type { Approval } from "../api/types";
import { format } from "../words";

/** The subject of an approval, for the purpose of batches. */
export function subjectOf(a: Approval): { key: string; label: string } {
  const { tool } = a.action;
  if (tool) return { key: `tool ${tool}`, label: format.title(tool) };
  const place = a.gate || a.step;
  return { key: `gate ${a.workflow}/${place}`, label: `${format.title(place)} in ${format.title(a.workflow)}` };
}

export const alike = (a: Approval, b: Approval) =>
  subjectOf(a).key === subjectOf(b).key && a.risk.level === b.risk.level && hasDrafts(a) === hasDrafts(b);

/** Its run has created files that are decided with it: its page shows them, a list does not. */
export const hasDrafts = (a: Approval) => (a.drafts ?? 0) > 0;
