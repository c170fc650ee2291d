import type { Approval } from "../api/types";
import { type Raw, treeOf } from "../json";
import type { OfferedRule } from "../lib/offer";
import { format } from "../words";
import { isMoney } from "./typed";

const days = 30;
const uses = 50;
const sample = 20;

/**
 * A rule that would have approved this, for people who may change the policy. It is narrow: this action, in this
 * workflow, up to this amount, for a while. Undefined where no rule can answer, or none should.
 */
export function ruleFor(approval: Approval, proposed: Raw | null, now: number): OfferedRule | undefined {
  const { action, risk, workflow, reason, kind } = approval;
  if (kind !== "approval" || (reason !== "rule" && reason !== "call")) return undefined;
  if (risk?.level === "critical" || action?.reversible === "no") return undefined;
  const what = action?.tool || action?.operation;
  if (!action || !what) return undefined;
  const limits = limitsOf(proposed);
  const until = new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  return {
    name: `Allow ${format.title(what).toLowerCase()} in ${format.title(workflow).toLowerCase()}${limits
      .map(({ field, value }) => `, ${format.title(field).toLowerCase()} up to ${value}`)
      .join("")}`,
    trigger: {
      ...(action.operation ? { operation_type: [action.operation] } : {}),
      ...(action.tool ? { tool: [action.tool] } : {}),
      workflow: [workflow],
      ...(risk?.level ? { risk_level: [risk.level] } : {}),
      ...(limits.length > 0
        ? { data_threshold: limits.map(({ field, value }) => ({ field, operator: "<=", value })) }
        : {}),
    },
    action: { auto_approve: true, sample_percentage: sample, max_uses: uses, expires_at: until },
  };
}

/** Amounts of money in the proposal that a number represents exactly. */
function limitsOf(proposed: Raw | null): { field: string; value: number }[] {
  const tree = treeOf(proposed);
  if (tree.kind !== "object") return [];
  return tree.members.flatMap(({ key, value }) => {
    if (value.kind !== "number" || !isMoney(key) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return [];
    const n = Number(value.text);
    return Number.isFinite(n) && String(n) === value.text ? [{ field: key, value: n }] : [];
  });
}
