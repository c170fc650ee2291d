import type { EventType } from "../api/types";
import { title } from "./format";
import type { Tone } from "./tone";

/** The label of an event in a timeline. weight 2 stands out, 0 is detail that may be folded. */
export interface EventWord {
  label: string;
  tone: Tone;
  weight: 0 | 1 | 2;
}

const word = (label: string, tone: Tone = "neutral", weight: 0 | 1 | 2 = 1): EventWord => ({ label, tone, weight });

export const eventType: Record<EventType, EventWord> = {
  "agent.message": word("Agent messaged another agent", "accent", 2),
  "agent.handed_off": word("Agent handed off its work", "info"),
  "approval.auto_approved": word("Approved by a rule", "info"),
  "approval.commented": word("Comment", "accent"),
  "approval.decided": word("Decision given", "info"),
  "approval.escalated": word("Escalated", "warn"),
  "approval.needed": word("Approval needed", "warn", 2),
  "approval.paused": word("Paused: no decision in time", "warn", 2),
  "approval.reminder": word("Reminder sent", "neutral", 0),
  "approval.resolved": word("Approval closed", "ok", 2),
  "approval.timed_out": word("Approval timed out", "bad", 2),
  "call.args_changed": word("Arguments of a tool call changed", "info"),
  "call.completed": word("Tool answered", "ok"),
  "call.rebound": word("Tool changed after it was approved", "warn", 2),
  "call.input_needed": word("Tool needs input", "warn", 2),
  "call.requested": word("Tool call proposed"),
  "call.retrying": word("Tool call retried", "warn", 0),
  "call.started": word("Tool called", "neutral", 0),
  "child.ended": word("Sub-run ended"),
  "child.waiting": word("Sub-run is waiting", "warn"),
  "consult.answered": word("Planner answered", "info"),
  "consult.read": word("Planner read a value", "neutral", 0),
  "consult.retrying": word("Planner asked again", "warn", 0),
  "consult.started": word("Planner asked", "neutral", 0),
  "definition.changed": word("Documents in force changed", "info"),
  "deliverable.created": word("Deliverable created", "ok", 2),
  "deliverable.marked": word("Deliverable marked", "info"),
  "element.completed": word("One of a list done", "neutral", 0),
  "gate.passed": word("Gate passed without asking", "neutral", 0),
  "layer.started": word("Next layer began", "neutral", 0),
  "limit.granted": word("Limit extended", "info"),
  "limit.raised": word("Limit raised", "info", 2),
  "limit.warning": word("Close to a limit", "warn", 2),
  "message.added": word("Message", "accent", 2),
  "note.added": word("Note", "neutral"),
  "payloads.removed": word("Payloads deleted", "warn", 2),
  "plan.changed": word("Plan changed", "info", 2),
  "point.passed": word("Decision point passed", "neutral", 0),
  "policy.changed": word("Policy changed", "info", 2),
  "replan.answered": word("New plan proposed", "info"),
  "replan.requested": word("New plan requested", "info"),
  "replan.settled": word("New plan decided", "info"),
  "review.suggested": word("A second look is suggested", "warn"),
  "run.cancelled": word("Run cancelled", "neutral", 2),
  "run.cancelling": word("Cancelling"),
  "run.completed": word("Run completed", "ok", 2),
  "run.failed": word("Run failed", "bad", 2),
  "run.forked": word("Forked from another run", "info"),
  "run.limit_reached": word("Limit reached; run ended", "bad", 2),
  "run.paused": word("Run paused", "warn", 2),
  "run.reopened": word("Run resumed after a failure", "info", 2),
  "run.resumed": word("Run continued", "info"),
  "run.started": word("Run started", "info", 2),
  "run.unpaused": word("Run resumed", "info", 2),
  "run.waiting": word("Run is waiting for a decision", "warn"),
  "snapshot.saved": word("Snapshot saved", "neutral", 0),
  "speculation.discarded": word("Step ran ahead, discarded", "neutral", 0),
  "speculation.returned": word("Step ran ahead", "neutral", 0),
  "speculation.used": word("Step ran ahead, used", "neutral", 0),
  "state.updated": word("State updated", "neutral", 0),
  "step.args_changed": word("Input of a step changed", "info"),
  "step.completed": word("Step done", "ok"),
  "step.expanded": word("Step spread over a list", "neutral", 0),
  "step.failed": word("Step failed", "bad", 2),
  "step.rebound": word("Agent changed after it was approved", "warn", 2),
  "step.retrying": word("Step retried", "warn"),
  "step.returned": word("Agent answered", "neutral", 0),
  "step.revised": word("Step sent back for revision", "info"),
  "step.skipped": word("Step skipped"),
  "step.speculated": word("Step runs ahead", "neutral", 0),
  "step.started": word("Step started"),
  "turn.completed": word("Model answered", "neutral", 0),
  "turn.retrying": word("Model retried", "warn", 0),
  "turn.started": word("Model asked", "neutral", 0),
  "trigger.delivered": word("A delivery arrived"),
  "warning.raised": word("Warning", "warn", 2),
};

/** The word for any event; types of a newer server are shown by their own name, made readable. */
export function eventWord(type: string): EventWord {
  return (eventType as Record<string, EventWord>)[type] ?? word(title(type));
}
