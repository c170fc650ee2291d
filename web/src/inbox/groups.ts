import type { Approval, ApprovalFilter } from "../api/types";

// Similar approvals of a run are one row: the server groups them, and leaves out the ones that differ (GET
// /approvals?group=alike).

/** The most approvals that the server groups at once; longer lists are shown row by row. */
export const groupedMax = 1000;
const fewest = 3;

/** What the approvals of a group have in common; defined by internal/view/group.go. */
const likeness = (a: Approval) =>
  JSON.stringify([a.run, a.step, a.agent, a.action.tool, a.gate, a.kind, a.reason, a.risk.level, a.acts, a.masked]);

/** Whether grouping would shorten a list by at least a tenth, judged by its first page. */
export function worthGrouping(page: Approval[], total: number): boolean {
  if (total > groupedMax) return false;
  const sizes = new Map<string, number>();
  for (const key of page.map(likeness)) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const spared = [...sizes.values()].reduce((sum, n) => sum + (n < fewest ? 0 : n - 1), 0);
  return spared > 0 && spared * 10 >= page.length;
}

/** The filter of the same list in groups. Only pending approvals are grouped. */
export function inGroups({ status: _, ...filter }: ApprovalFilter): ApprovalFilter {
  return { ...filter, group: "alike" };
}
