import type { Act, Approval, Me, RecordedDecision } from "../api/types";
import { act, approvalStatus, format, onReject, via } from "../words";

// Sentences about an approval.

const name = (text: string) => format.title(text);

/** Who wants what: the line above the title. */
export function headline(a: Approval): { who: string; what: string } {
  const agent = a.agent ? name(a.agent) : `The workflow ${name(a.workflow)}`;
  const does = name(a.action.operation ?? "").toLowerCase();
  const operation = does && does !== name(a.step).toLowerCase() ? `: ${does}` : ""; // not “Publish: publish”
  switch (a.action.type) {
    case "tool_call":
      if (isQuestion(a)) return { who: agent, what: "has a question" };
      return { who: agent, what: `wants to use ${name(a.action.tool || a.action.operation || "a tool")}` };
    case "step":
      return a.agent
        ? { who: agent, what: `wants to run the step ${name(a.step)}${operation}` }
        : { who: agent, what: `asks a person at ${name(a.step)}` };
    case "result":
      return { who: agent, what: "proposes this result" };
    case "run":
      return { who: a.requester, what: "wants to start" };
    case "output":
      return { who: `The workflow ${name(a.workflow)}`, what: "has finished, and its result needs approval" };
    case "limit":
      return { who: agent, what: "has reached a limit and asks for more" };
    case "layer":
      return { who: `The workflow ${name(a.workflow)}`, what: "asks before it continues" };
    default:
      return { who: agent, what: "asks for a decision" };
  }
}

/** Whether an agent asks a question rather than permission to act. */
export function isQuestion(a: Approval): boolean {
  return a.action.type === "tool_call" && (a.kind === "choice" || a.kind === "input");
}

/** A sentence with its first letter capitalized. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Why it is risky, with the tool's name in words: "send_mail is declared high risk" → "Send mail is …". */
export function riskReasons({ risk, action: { tool } }: Approval): string[] {
  return (risk.reasons ?? []).map((reason) => (tool ? reason.replace(tool, name(tool)) : reason));
}

/** "role:manager" → "the role Manager"; people by name. */
export function recipient(to: string): string {
  return to.startsWith("role:") ? `the role ${name(to.slice(5))}` : to;
}

/** "1 of 2 approvals; Finance still needed" */
export function quorumText(a: Approval): string {
  const { needed, given } = a.quorum;
  const roles = missingRoles(a);
  const noun = a.kind === "choice" || a.kind === "input" ? "answer" : "approval";
  const count = needed === 1 ? `1 ${noun} needed` : `${given} of ${format.plural(needed, noun)}`;
  return roles.length > 0 && a.status === "pending" ? `${count}; ${listed(roles)} still needed` : count;
}

/** Roles whose approval is still missing: "Finance" and "Legal", or "2 of Finance" and "1 of Legal". */
function missingRoles(a: Approval): string[] {
  const missing = Object.entries(a.quorum.by_role ?? {}).filter(([, n]) => n > 0);
  const counted = missing.some(([, n]) => n > 1);
  return missing.map(([role, n]) => (counted ? `${n} of ${name(role)}` : name(role)));
}

/** "Ann", "Ann and Bob", "Ann, Bob and Carla" */
export function listed(names: string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** The effect of a rejection, as a full sentence. */
export function ifRejected(a: Approval): string {
  if (a.if_denied) return a.if_denied;
  return a.on_reject ? `${onReject[a.on_reject].sentence.replace(/^./, (c) => c.toUpperCase())}.` : "";
}

/** One person's action: "Maria rejected this". */
export function decisionText(d: RecordedDecision): string {
  return didText(d) + via(d);
}

function didText(d: RecordedDecision): string {
  const as = d.role && d.role !== "*" ? ` as ${name(d.role)}` : "";
  const whose = (d.on_behalf_of ? `${d.by} (for ${d.on_behalf_of})` : d.by) + as;
  switch (d.act) {
    case "delegate":
      return `${whose} handed this over to ${recipient(d.to ?? "someone else")}`;
    case "escalate":
      return d.to ? `${whose} escalated this to ${recipient(d.to)}` : `${whose} escalated this`;
    case "modify":
      return `${whose} changed and approved this`;
    case "submit":
      return `${whose} submitted the data`;
    case "request_revision":
      return `${whose} asked for a revision`;
    default:
      return `${whose} ${act[d.act].done} this`;
  }
}

/** Names at the start of a sentence. People's names keep their spelling. */
function begun(names: string[]): string {
  return listed(names).replace(/^you\b/, "You");
}

/** The label of the selected option. */
export function optionLabel(a: Approval, value: string): string {
  return a.options.find((o) => o.value === value)?.label || name(value);
}

/** The voters behind the outcome, in order: those who voted on the current version, and for the winning option. */
function voters(a: Approval): string[] {
  const last = a.decisions.findLastIndex((d) => d.act === "modify");
  const votes = a.decisions
    .slice(Math.max(0, last))
    .filter((d) => d.act in counted && (d.option ?? "") === (a.outcome?.option ?? ""));
  return [...new Set([...votes.map((d) => d.by), ...(a.outcome?.by ? [a.outcome.by] : [])])];
}

/** The outcome as a sentence without the time: "Maria rejected this". */
export function outcomeText(a: Approval, me?: string): string {
  const o = a.outcome;
  if (!o) return approvalStatus[a.status].sentence;
  const you = (by: string) => (by === me ? "you" : by);
  const by = voters(a);
  const who = o.by ? begun(by.map(you)) : undefined;
  if (a.status === "timed_out") {
    if (o.cancel) return "Timed out: the run was cancelled";
    if (o.act === "approve") return "Timed out: approved as proposed";
    if (o.act === "reject") return "Timed out: rejected";
    if (o.option) return `Timed out: “${optionLabel(a, o.option)}” was chosen`;
    return "Timed out: the default was used";
  }
  if (a.status === "auto_approved") return "Approved automatically by a policy rule";
  if (a.status === "cancelled") return "The run ended before a decision was made";
  if (!who) return approvalStatus[a.status].sentence;
  switch (a.status) {
    case "approved":
      return `${who} approved this`;
    case "modified": {
      const [editor = "", ...others] = by.map(you);
      if (others.length === 0) return `${who} changed and approved this`;
      return `${begun([editor])} changed this, and ${listed(others)} approved it as well`;
    }
    case "rejected":
      return `${begun([you(o.by ?? "")])} rejected this`;
    case "chosen":
      return `${who} chose “${optionLabel(a, o.option ?? "")}”`;
    case "submitted":
      return `${who} submitted the data`;
    case "revision_requested":
      return `${begun([you(o.by ?? "")])} asked for a revision`;
    default:
      return approvalStatus[a.status].sentence;
  }
}

/** What happens now that the approval is settled. */
export function whatNext(a: Approval): string {
  switch (a.status) {
    case "approved":
    case "modified":
    case "chosen":
    case "submitted":
    case "auto_approved":
      return "The run continues.";
    case "revision_requested":
      return "The work is repeated with these comments. You'll be asked again.";
    case "rejected":
      return ifRejected(a);
    default:
      return "";
  }
}

/** The approvers, by name, including the roles that a quorum names. */
export function askedOf(a: Approval): string[] {
  const roles = [...(a.role ? [a.role] : []), ...Object.keys(a.quorum.by_role ?? {})];
  return [...new Set([...roles.map(name), ...a.assignees, ...(a.escalated_to ?? []).map(recipient)])];
}

/** Actions that count toward a quorum, in the past tense. */
const counted: Partial<Record<Act, string>> = {
  approve: "approved",
  modify: "changed and approved",
  choose: "chosen",
  submit: "answered",
};

/** "1 more needed", or the missing roles. */
function stillNeeded(a: Approval): string {
  const roles = missingRoles(a);
  if (roles.length > 0) return `${listed(roles)} still needed`;
  return `${format.count(Math.max(1, a.quorum.needed - a.quorum.given))} more needed`;
}

/** The user's own vote on an approval that needs several, and what is still needed; empty if they have not voted. */
export function ownVote(a: Approval, me: Me | undefined): string {
  const mine = me && a.decisions.findLast((d) => d.by === me.name && d.act in counted);
  return mine && a.quorum.needed > 1 ? `You have already ${counted[mine.act]}; ${stillNeeded(a)}.` : "";
}

/** Why a user who can see a pending approval may not decide it. */
export function whyNot(a: Approval, me: Me | undefined): string {
  const voted = ownVote(a, me);
  if (voted) return voted;
  const handed = me && a.decisions.findLast((d) => d.act === "delegate" && d.by === me.name)?.to;
  if (handed) return `You handed this over to ${recipient(handed)}.`;
  if (me && a.requester === me.name && a.quorum.needed > 1)
    return "You started this run, so someone else must approve it.";
  const asked = [
    ...(a.role ? [`the role ${name(a.role)}`] : []),
    ...Object.keys(a.quorum.by_role ?? {}).map((r) => `the role ${name(r)}`),
    ...a.assignees,
    ...(a.escalated_to ?? []).map(recipient),
  ];
  return asked.length > 0
    ? `You can look, but not decide: this is asked of ${[...new Set(asked)].join(", ")}.`
    : "You can look, but not decide this.";
}

/** The word to type before a critical action is approved. */
export function confirmWord(a: Approval): string {
  return a.action.tool || a.action.operation || a.step || a.gate || "approve";
}
