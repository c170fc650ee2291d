import {
  Ban,
  Bot,
  Check,
  CheckCheck,
  CircleCheck,
  CircleDot,
  CircleHelp,
  CirclePause,
  CircleSlash,
  CircleX,
  ClipboardPen,
  Clock,
  Flag,
  Gauge,
  Hourglass,
  ListChecks,
  LogIn,
  MessageSquareWarning,
  OctagonX,
  PencilLine,
  Repeat,
  Scale,
  SearchX,
  ServerOff,
  Shield,
  ShieldAlert,
  ShieldCheck,
  TimerOff,
  TrendingUp,
  TriangleAlert,
  Undo2,
  UserRoundPlus,
  Weight,
  Wrench,
  X,
} from "lucide-react";
import type {
  Act,
  ApprovalKind,
  ApprovalReason,
  ApprovalStatus,
  DecidedVia,
  OnReject,
  ProblemCode,
  RiskLevel,
  TimeoutAct,
} from "../api/types";
import type { Word } from "./tone";

// Words that the inbox needs at first; the others are in enumsLater.ts.

export const approvalStatus: Record<ApprovalStatus, Word> = {
  pending: { label: "Waiting", sentence: "Waiting for a decision.", tone: "warn", icon: Hourglass },
  approved: { label: "Approved", sentence: "Approved as proposed.", tone: "ok", icon: CircleCheck },
  modified: { label: "Approved with changes", sentence: "Changed, then approved.", tone: "ok", icon: PencilLine },
  rejected: { label: "Rejected", sentence: "Turned down.", tone: "bad", icon: CircleX },
  chosen: { label: "Chosen", sentence: "One of the options was chosen.", tone: "ok", icon: ListChecks },
  submitted: { label: "Submitted", sentence: "The requested data was submitted.", tone: "ok", icon: ClipboardPen },
  revision_requested: { label: "Sent back", sentence: "The agent was asked to try again.", tone: "info", icon: Undo2 },
  timed_out: { label: "Timed out", sentence: "No decision before the deadline.", tone: "bad", icon: TimerOff },
  cancelled: {
    label: "Cancelled",
    sentence: "The run ended before a decision was made.",
    tone: "neutral",
    icon: CircleSlash,
  },
  auto_approved: {
    label: "Approved by rule",
    sentence: "Approved automatically by a policy rule.",
    tone: "info",
    icon: ShieldCheck,
  },
};

export const approvalKind: Record<ApprovalKind, Word> = {
  approval: { label: "Approval", sentence: "Approve, reject, or change it first.", tone: "neutral", icon: CircleCheck },
  choice: { label: "Choice", sentence: "Choose one of the options.", tone: "neutral", icon: ListChecks },
  input: { label: "Input", sentence: "Enter the requested data.", tone: "neutral", icon: ClipboardPen },
  escalation: { label: "Escalation", sentence: "Escalated to you.", tone: "warn", icon: TrendingUp },
};

export const approvalReason: Record<ApprovalReason, Word> = {
  gate: {
    label: "Workflow gate",
    sentence: "This workflow always requires approval here.",
    tone: "neutral",
    icon: Flag,
  },
  rule: { label: "Policy rule", sentence: "A policy rule requires approval.", tone: "neutral", icon: Scale },
  low_confidence: {
    label: "Low confidence",
    sentence: "The agent is not sure of its answer.",
    tone: "warn",
    icon: CircleHelp,
  },
  review_suggested: {
    label: "Second look",
    sentence: "The run continued; a second look at the result is suggested.",
    tone: "warn",
    icon: CircleHelp,
  },
  call: {
    label: "Tool call",
    sentence: "The agent wants to use a tool that requires approval.",
    tone: "neutral",
    icon: Wrench,
  },
  milestone: {
    label: "Milestone",
    sentence: "A milestone was reached. Decide how to continue.",
    tone: "info",
    icon: CircleDot,
  },
  limit: { label: "Limit", sentence: "A limit is reached; approve to grant it once more.", tone: "warn", icon: Gauge },
  loop: {
    label: "Between layers",
    sentence: "The run asks before it continues with the next layer.",
    tone: "neutral",
    icon: Repeat,
  },
};

/** Other programs in which people decide. */
export const decidedVia: Record<DecidedVia, { label: string }> = {
  slack: { label: "Slack" },
  teams: { label: "Microsoft Teams" },
};

/** " in Slack", for a decision that another program relayed. */
export const via = (d: { via?: DecidedVia }): string => (d.via ? ` in ${decidedVia[d.via].label}` : "");

/** label is the button's text, sentence its effect, done its wording in the record. */
export const act: Record<Act, Word & { done: string }> = {
  approve: { label: "Approve", done: "approved", sentence: "Let it happen as shown.", tone: "ok", icon: Check },
  modify: {
    label: "Approve with changes",
    done: "changed and approved",
    sentence: "Change the proposal and approve the result.",
    tone: "ok",
    icon: PencilLine,
  },
  reject: { label: "Reject", done: "rejected", sentence: "Turn it down and say why.", tone: "bad", icon: X },
  choose: { label: "Choose", done: "chose", sentence: "Take one of the options.", tone: "ok", icon: ListChecks },
  submit: {
    label: "Submit",
    done: "submitted data",
    sentence: "Enter the requested data.",
    tone: "ok",
    icon: ClipboardPen,
  },
  escalate: {
    label: "Escalate",
    done: "escalated",
    sentence: "Escalate it to someone with more authority.",
    tone: "warn",
    icon: TrendingUp,
  },
  request_revision: {
    label: "Ask for a revision",
    done: "asked for a revision",
    sentence: "Have the agent try again with your guidance.",
    tone: "info",
    icon: Undo2,
  },
  delegate: {
    label: "Hand over",
    done: "handed it over",
    sentence: "Hand the decision to someone else.",
    tone: "neutral",
    icon: UserRoundPlus,
  },
};

export const risk: Record<RiskLevel, Word> = {
  low: { label: "Low risk", sentence: "Little can go wrong.", tone: "ok", icon: Shield },
  medium: { label: "Medium risk", sentence: "A mistake costs some work.", tone: "info", icon: Shield },
  high: { label: "High risk", sentence: "A mistake costs money or trust.", tone: "warn", icon: ShieldAlert },
  critical: { label: "Critical risk", sentence: "A mistake cannot be undone.", tone: "bad", icon: OctagonX },
};

/** The effect of the deadline, as the end of "Without a decision, …". */
export const onTimeout: Record<TimeoutAct, Word> = {
  approve: { label: "Approves itself", sentence: "it is approved as proposed", tone: "warn", icon: CheckCheck },
  reject: { label: "Rejects itself", sentence: "it is rejected", tone: "bad", icon: CircleX },
  cancel: { label: "Cancels the run", sentence: "the run is cancelled", tone: "bad", icon: CircleSlash },
  default: { label: "Uses the default", sentence: "the default answer is used", tone: "warn", icon: CheckCheck },
  pause: { label: "Pauses the run", sentence: "the run is paused", tone: "neutral", icon: CirclePause },
  escalate: { label: "Escalates", sentence: "it is passed up", tone: "warn", icon: TrendingUp },
};

/** The effect of a rejection, as the end of "If you reject, …". */
export const onReject: Record<OnReject, Word> = {
  fail: { label: "Fails the run", sentence: "the run fails; it can be resumed or retried", tone: "bad", icon: CircleX },
  cancel: { label: "Cancels the run", sentence: "the run is cancelled", tone: "bad", icon: CircleSlash },
  revise: { label: "Sends it back", sentence: "the agent tries again with your reason", tone: "info", icon: Undo2 },
  tell: { label: "Tells the agent", sentence: "the agent is told and continues without it", tone: "info", icon: Bot },
};

/** sentence is what to do if the server sent no hint. */
export const problem: Record<ProblemCode | "unreachable", Word> = {
  already_decided: {
    label: "Already decided",
    sentence: "Someone else decided first. Reload to see the decision.",
    tone: "warn",
    icon: CheckCheck,
  },
  conflict: {
    label: "Out of date",
    sentence: "Something changed in between. Reload and try again.",
    tone: "warn",
    icon: TriangleAlert,
  },
  forbidden: {
    label: "Not allowed",
    sentence: "You don't have permission. Ask someone who has the role.",
    tone: "bad",
    icon: Ban,
  },
  internal: {
    label: "Server error",
    sentence: "Try again. If it keeps happening, check the server log.",
    tone: "bad",
    icon: ServerOff,
  },
  invalid: {
    label: "Not valid",
    sentence: "Fix the marked fields and submit again.",
    tone: "bad",
    icon: MessageSquareWarning,
  },
  not_found: {
    label: "Not found",
    sentence: "It does not exist, or you can't see it.",
    tone: "neutral",
    icon: SearchX,
  },
  rate_limited: {
    label: "Too many requests",
    sentence: "Wait a moment and try again.",
    tone: "warn",
    icon: Clock,
  },
  too_large: { label: "Too large", sentence: "Send less at once.", tone: "bad", icon: Weight },
  unauthenticated: { label: "Not signed in", sentence: "Sign in and try again.", tone: "warn", icon: LogIn },
  unavailable: {
    label: "Not available",
    sentence: "The server is starting or stopping. Try again in a moment.",
    tone: "warn",
    icon: ServerOff,
  },
  unsupported: { label: "Not supported", sentence: "This server cannot do that.", tone: "neutral", icon: CircleSlash },
  version_mismatch: {
    label: "Changed since you opened it",
    sentence: "Review the new version first.",
    tone: "warn",
    icon: Clock,
  },
  unreachable: {
    label: "No connection",
    sentence: "The server did not answer. Try again in a moment.",
    tone: "bad",
    icon: ServerOff,
  },
};
