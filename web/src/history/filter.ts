import type { ApprovalFilter, ApprovalKind, ApprovalStatus, RiskLevel } from "../api/types";
import type { Search } from "../router";
import { approvalKind, approvalStatus, risk } from "../words";

const settled = (Object.keys(approvalStatus) as ApprovalStatus[]).filter((status) => status !== "pending");

/** Who decided, derived from the outcome. */
export const deciders = {
  people: {
    label: "Decided by people",
    statuses: ["approved", "modified", "rejected", "chosen", "submitted", "revision_requested"],
  },
  rules: { label: "Approved by rules", statuses: ["auto_approved"] },
  nobody: { label: "Not decided", statuses: ["timed_out", "cancelled"] },
} satisfies Record<string, { label: string; statuses: ApprovalStatus[] }>;

export const statusOptions = [
  ...Object.entries(deciders).map(([value, { label }]) => ({ value, label })),
  ...settled.filter((s) => s !== "auto_approved").map((value) => ({ value, label: approvalStatus[value].label })),
];

const known = <T extends object>(words: T, value: string | undefined): keyof T | undefined =>
  value !== undefined && Object.hasOwn(words, value) ? (value as keyof T) : undefined;

/** The filter in the URL; unknown values are dropped. */
export function filterOf(search: Search): ApprovalFilter {
  const group = known(deciders, search.status);
  const one = settled.find((status) => status === search.status);
  return {
    status: group ? deciders[group].statuses : one ? [one] : settled,
    q: search.q?.trim() || undefined,
    workflow: search.workflow,
    agent: search.agent,
    risk: known(risk, search.risk) as RiskLevel | undefined,
    kind: known(approvalKind, search.kind) as ApprovalKind | undefined,
    sort: "settled",
  };
}

/** Whether the URL narrows the list. */
export function narrowed(search: Search): boolean {
  const filter = filterOf(search);
  return filter.status !== settled || !!(filter.q || filter.workflow || filter.agent || filter.risk || filter.kind);
}
