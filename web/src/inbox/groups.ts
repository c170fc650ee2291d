import type { Approval, ApprovalFilter } from "../api/types";

// What a run asks alike is one row: the server groups, and leaves out what stands out (GET /approvals?group=alike).

/** So many approvals the server groups at once; longer lists are shown row by row. */
export const groupedMax = 1000;
const fewest = 3;

/** What the approvals of a group have in common; internal/view/group.go says it. */
const likeness = (a: Approval) =>
  JSON.stringify([a.run, a.step, a.agent, a.action.tool, a.gate, a.kind, a.reason, a.risk.level, a.acts, a.masked]);

/** Whether groups would make a list shorter by a tenth at least, judged by its first page. */
export function worthGrouping(page: Approval[], total: number): boolean {
  if (total > groupedMax) return false;
  const sizes = new Map<string, number>();
  for (const key of page.map(likeness)) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const spared = [...sizes.values()].reduce((sum, n) => sum + (n < fewest ? 0 : n - 1), 0);
  return spared > 0 && spared * 10 >= page.length;
}

/** The filter of the same list in groups. Only what is pending is grouped. */
export function inGroups({ status: _, ...filter }: ApprovalFilter): ApprovalFilter {
  return { ...filter, group: "alike" };
}
