import type { Approval, Run } from "../api/types";

/** The approvals of a run as of a state: those requested by then, with open ones open. */
export function approvalsAsOf(approvals: Approval[], state: Run, at: string | undefined): Approval[] {
  const open = new Set(state.pending_approvals);
  const now = at ? Date.parse(at) : Number.POSITIVE_INFINITY;
  return approvals.flatMap((approval): Approval[] => {
    if (open.has(approval.id)) {
      const decisions = approval.decisions.filter((d) => Date.parse(d.at) <= now);
      return [{ ...approval, status: "pending", outcome: null, decisions }];
    }
    // Not open: settled by then, or not requested yet.
    return approval.outcome && Date.parse(approval.outcome.at) <= now ? [approval] : [];
  });
}
