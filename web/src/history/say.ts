import type { Approval } from "../api/types";
import { act, format, via } from "../words";

export type Decider = { kind: "person" | "rule" | "nobody"; name: string };

/** Who settled it: people, a rule, or neither (it timed out, or the run ended). */
export function deciderOf(approval: Approval): Decider {
  if (approval.status === "auto_approved") return { kind: "rule", name: approval.rule?.name ?? "A policy rule" };
  const by = approval.outcome?.by || approval.decisions.at(-1)?.by;
  if (approval.status === "timed_out" || approval.status === "cancelled" || !by)
    return { kind: "nobody", name: "No decision" };
  return { kind: "person", name: by };
}

/** How long it waited, in milliseconds; undefined if no approval was requested. */
export function waitedMs(approval: Approval): number | undefined {
  if (approval.status === "auto_approved" || !approval.outcome) return undefined;
  return Math.max(0, Date.parse(approval.outcome.at) - Date.parse(approval.requested_at));
}

/** The comment on the outcome: from the person who settled it, or the rule's reason. */
export function remarkOf(approval: Approval): string {
  return (
    approval.outcome?.comment ||
    approval.decisions.findLast((d) => d.comment)?.comment ||
    (approval.status === "auto_approved" ? (approval.rule?.reason ?? "") : "")
  );
}

/** "asked for a revision", "chose Refund", "handed it over to Ben". */
export function didOf(approval: Approval, decision: Approval["decisions"][number]): string {
  const done = act[decision.act].done;
  const where = via(decision);
  if (decision.option) return `${done} ${optionLabel(approval, decision.option)}${where}`;
  if (decision.to) return `${done} to ${decision.to.replace(/^role:/, "the role ")}${where}`;
  return done + where;
}

function optionLabel(approval: Approval, id: string): string {
  const option = approval.options.find((o) => o.value === id);
  return option?.label || format.title(id);
}
