import {
  Ban,
  Bot,
  Check,
  CheckCheck,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleHelp,
  CirclePause,
  CircleSlash,
  CircleX,
  ClipboardPen,
  Clock,
  Cog,
  Flag,
  Gauge,
  Hourglass,
  ListChecks,
  LoaderCircle,
  LogIn,
  MessageSquareWarning,
  OctagonX,
  PencilLine,
  Repeat,
  Scale,
  SearchX,
  Server,
  ServerOff,
  Shield,
  ShieldAlert,
  ShieldCheck,
  SkipForward,
  TimerOff,
  TrendingUp,
  TriangleAlert,
  Undo2,
  User,
  UserRoundPlus,
  Weight,
  Wrench,
  X,
} from "lucide-react";
import type {
  Act,
  ActorKind,
  ApprovalKind,
  ApprovalReason,
  ApprovalStatus,
  AuditOutcome,
  DocumentStatus,
  OnReject,
  ProblemCode,
  RiskLevel,
  RuleEffect,
  RunStatus,
  SignInWay,
  SkipReason,
  StepStatus,
  TimeoutAct,
  TokenKind,
} from "../api/types";
import type { Word } from "./tone";

/** A running run that was cancelled and waits for its running steps. */
export const cancelling: Word = {
  label: "Cancelling",
  sentence: "It was cancelled and ends when the steps at work have.",
  tone: "warn",
  icon: CircleSlash,
};

export const runStatus: Record<RunStatus, Word> = {
  running: { label: "Running", sentence: "Agents are working.", tone: "info", icon: LoaderCircle },
  waiting: { label: "Waiting", sentence: "Waiting for a decision.", tone: "warn", icon: Hourglass },
  paused: {
    label: "Paused",
    sentence: "Paused by a person, or because a decision took too long. Resume it to continue.",
    tone: "neutral",
    icon: CirclePause,
  },
  completed: { label: "Completed", sentence: "All steps finished.", tone: "ok", icon: CircleCheck },
  failed: {
    label: "Failed",
    sentence: "A step failed. You can resume or retry the run.",
    tone: "bad",
    icon: CircleX,
  },
  cancelled: {
    label: "Cancelled",
    sentence: "Stopped by a person or by a rejection.",
    tone: "neutral",
    icon: CircleSlash,
  },
  limit_reached: {
    label: "Limit reached",
    sentence: "Stopped at a limit on time, cost or turns. Raise the limit to resume it.",
    tone: "bad",
    icon: Gauge,
  },
};

export const stepStatus: Record<StepStatus, Word> = {
  pending: { label: "Not started", sentence: "Waiting for earlier steps.", tone: "neutral", icon: CircleDashed },
  running: { label: "Running", sentence: "The agent is working.", tone: "info", icon: LoaderCircle },
  waiting: { label: "Waiting", sentence: "Waiting for a decision.", tone: "warn", icon: Hourglass },
  done: { label: "Done", sentence: "The agent has answered.", tone: "ok", icon: CircleCheck },
  failed: { label: "Failed", sentence: "The agent failed.", tone: "bad", icon: CircleX },
  skipped: { label: "Skipped", sentence: "It was left out.", tone: "neutral", icon: SkipForward },
  cancelled: { label: "Cancelled", sentence: "The run ended before it was done.", tone: "neutral", icon: CircleSlash },
};

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

/** The effect of the deadline, as the end of "If nobody decides, …". */
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

export const skipReason: Record<SkipReason, Word> = {
  if: { label: "Not needed", sentence: "Its condition was not met.", tone: "neutral", icon: SkipForward },
  need: {
    label: "Not possible",
    sentence: "A step that it needs failed or was skipped.",
    tone: "warn",
    icon: SkipForward,
  },
  command: { label: "Skipped by hand", sentence: "Skipped by a person.", tone: "neutral", icon: SkipForward },
  rejected: { label: "Rejected", sentence: "Rejected by a reviewer.", tone: "bad", icon: SkipForward },
};

export const ruleEffect: Record<RuleEffect, Word> = {
  ask: { label: "Asks", sentence: "A person is asked.", tone: "warn", icon: User },
  approve: { label: "Approves", sentence: "It is approved without asking.", tone: "ok", icon: ShieldCheck },
  deny: { label: "Denies", sentence: "It is refused.", tone: "bad", icon: Ban },
  none: { label: "No rule", sentence: "No rule applies.", tone: "neutral", icon: CircleHelp },
};

export const actorKind: Record<ActorKind, Word> = {
  person: { label: "Person", sentence: "A person did this.", tone: "neutral", icon: User },
  service: { label: "Service", sentence: "A program with a token did this.", tone: "neutral", icon: Server },
  agent: { label: "Agent", sentence: "An agent did this.", tone: "neutral", icon: Bot },
  policy: { label: "Policy", sentence: "A policy rule did this.", tone: "neutral", icon: Scale },
  system: { label: "Assent", sentence: "Assent did this by itself.", tone: "neutral", icon: Cog },
  nobody: { label: "Unknown", sentence: "It is not known who tried this.", tone: "neutral", icon: CircleHelp },
};

export const auditOutcome: Record<AuditOutcome, Word> = {
  done: { label: "Done", sentence: "It was done.", tone: "ok", icon: Check },
  refused: { label: "Refused", sentence: "It was tried and refused.", tone: "bad", icon: Ban },
};

export const documentStatus: Record<DocumentStatus, Word> = {
  published: { label: "Published", sentence: "New runs use it.", tone: "ok", icon: CircleCheck },
  draft: { label: "Draft", sentence: "Saved, and not in force.", tone: "neutral", icon: CircleDashed },
};

export const tokenKind: Record<TokenKind, Word> = {
  person: { label: "Person", sentence: "It acts as a person and may decide.", tone: "neutral", icon: User },
  service: { label: "Service", sentence: "It acts as a program.", tone: "neutral", icon: Server },
  agent: { label: "Agent", sentence: "It acts as an agent and never decides.", tone: "neutral", icon: Bot },
};

export const signInWay: Record<SignInWay, Word> = {
  password: { label: "Password", sentence: "Signed in with a name and a password.", tone: "neutral", icon: User },
  oidc: { label: "Identity provider", sentence: "Signed in at an identity provider.", tone: "neutral", icon: LogIn },
  token: { label: "Token", sentence: "Known by a token of this server.", tone: "neutral", icon: Server },
  jwt: { label: "Signed token", sentence: "Known by a token of an identity provider.", tone: "neutral", icon: Server },
  console: { label: "Console", sentence: "Works on the server's own machine.", tone: "neutral", icon: Cog },
  none: { label: "No sign-in", sentence: "This server does not require sign-in.", tone: "neutral", icon: User },
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
