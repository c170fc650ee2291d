import {
  Ban,
  Bot,
  CalendarClock,
  Check,
  CircleCheck,
  CircleDashed,
  CircleHelp,
  CirclePause,
  CircleSlash,
  CircleX,
  Cog,
  Gauge,
  Hourglass,
  LoaderCircle,
  LogIn,
  Scale,
  Server,
  ShieldCheck,
  SkipForward,
  User,
  Webhook,
} from "lucide-react";
import type {
  ActorKind,
  AuditOutcome,
  ChannelKind,
  DeliveryStatus,
  DocumentStatus,
  FiringOutcome,
  HookOutcome,
  MCPServerState,
  RuleEffect,
  RunStatus,
  SettingSource,
  SignInWay,
  SkipReason,
  StepStatus,
  TokenKind,
  TrialOutcome,
  TrialVerdict,
  VerifyKind,
} from "../api/types";
import type { Word } from "./tone";

// Words of pages that are opened later: runs, replay, settings.

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

export const skipReason: Record<SkipReason, Word> = {
  if: { label: "Not needed", sentence: "Its condition was not met.", tone: "neutral", icon: SkipForward },
  need: {
    label: "Not possible",
    sentence: "A step that it needs failed or was skipped.",
    tone: "warn",
    icon: SkipForward,
  },
  command: { label: "By a person", sentence: "Skipped by a person.", tone: "neutral", icon: SkipForward },
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
  schedule: { label: "Schedule", sentence: "A schedule started this.", tone: "neutral", icon: CalendarClock },
  trigger: { label: "Trigger", sentence: "A trigger started this.", tone: "neutral", icon: Webhook },
  policy: { label: "Policy", sentence: "A policy rule did this.", tone: "neutral", icon: Scale },
  system: { label: "Assent", sentence: "Assent did this by itself.", tone: "neutral", icon: Cog },
  nobody: { label: "Unknown", sentence: "It is not known who tried this.", tone: "neutral", icon: CircleHelp },
};

export const auditOutcome: Record<AuditOutcome, Word> = {
  done: { label: "Done", sentence: "It was done.", tone: "ok", icon: Check },
  refused: { label: "Refused", sentence: "It was tried and refused.", tone: "bad", icon: Ban },
};

export const firingOutcome: Record<FiringOutcome, Word> = {
  started: { label: "Started", sentence: "A run began.", tone: "ok", icon: Check },
  skipped: { label: "Skipped", sentence: "The previous run had not ended.", tone: "neutral", icon: CircleDashed },
  missed: { label: "Missed", sentence: "It was too late to start a run.", tone: "warn", icon: CircleHelp },
  failed: { label: "Failed", sentence: "The run was refused.", tone: "bad", icon: Ban },
};

export const serverState: Record<MCPServerState, Word> = {
  connected: { label: "Connected", sentence: "It answered the last time it was asked.", tone: "ok", icon: CircleCheck },
  failing: {
    label: "Failing",
    sentence: "It did not answer. Its last list of tools is used.",
    tone: "bad",
    icon: CircleX,
  },
  unasked: { label: "Not used yet", sentence: "It is started when it is needed.", tone: "neutral", icon: CircleDashed },
};

export const trialOutcome: Record<TrialOutcome, Word> = {
  completed: { label: "Completed", sentence: "It came to an answer.", tone: "ok", icon: CircleCheck },
  failed: { label: "Failed", sentence: "It came to no answer.", tone: "bad", icon: CircleX },
  stopped: { label: "Stopped", sentence: "It ended before it came to an answer.", tone: "warn", icon: CirclePause },
};

export const trialVerdict: Record<TrialVerdict, Word> = {
  run: { label: "Would run", sentence: "It would run without approval.", tone: "ok", icon: Check },
  approved: { label: "Would be auto-approved", sentence: "A rule would approve it.", tone: "ok", icon: ShieldCheck },
  ask: { label: "Would need approval", sentence: "People would be asked first.", tone: "warn", icon: User },
  denied: { label: "Would be denied", sentence: "A rule would deny it.", tone: "bad", icon: Ban },
  refused: {
    label: "Not valid",
    sentence: "The agent would be told why, and could try again.",
    tone: "bad",
    icon: CircleX,
  },
};

export const hookOutcome: Record<HookOutcome, Word> = {
  started: { label: "Started", sentence: "A run began.", tone: "ok", icon: Check },
  failed: { label: "Failed", sentence: "No run could begin.", tone: "bad", icon: Ban },
  ignored: { label: "Ignored", sentence: "No run was wanted.", tone: "neutral", icon: CircleDashed },
};

export const verifyKind: Record<VerifyKind, Word> = {
  standard: { label: "Standard Webhooks", sentence: "Deliveries are signed.", tone: "ok", icon: ShieldCheck },
  github: { label: "GitHub", sentence: "Deliveries are signed by GitHub.", tone: "ok", icon: ShieldCheck },
  header: { label: "Header", sentence: "A header contains a secret.", tone: "ok", icon: ShieldCheck },
  none: {
    label: "Not verified",
    sentence: "Anyone who can reach this server can start runs.",
    tone: "warn",
    icon: CircleHelp,
  },
};

export const deliveryStatus: Record<DeliveryStatus, Word> = {
  queued: { label: "Queued", sentence: "Waiting to be sent.", tone: "neutral", icon: CircleDashed },
  sent: { label: "Sent", sentence: "Delivered.", tone: "ok", icon: Check },
  updated: { label: "Updated", sentence: "Replaced after it was delivered.", tone: "ok", icon: CircleCheck },
  failed: { label: "Failed", sentence: "Could not be delivered.", tone: "bad", icon: Ban },
  suppressed: {
    label: "Suppressed",
    sentence: "Not sent: it is not needed, or the recipient can't be reached there.",
    tone: "neutral",
    icon: CircleHelp,
  },
};

export const channelKind: Record<ChannelKind, Word> = {
  email: { label: "E-mail", sentence: "Sends mail.", tone: "neutral", icon: Server },
  slack: { label: "Slack", sentence: "Posts to Slack.", tone: "neutral", icon: Server },
  teams: { label: "Microsoft Teams", sentence: "Posts to Microsoft Teams.", tone: "neutral", icon: Server },
  webhook: { label: "Webhook", sentence: "Posts events to a program.", tone: "neutral", icon: Server },
  push: { label: "Push", sentence: "Sends messages to browsers.", tone: "neutral", icon: Server },
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

export const settingSource: Record<SettingSource, Word> = {
  flag: { label: "Flag", sentence: "Set on the command line.", tone: "info", icon: Cog },
  environment: { label: "Environment", sentence: "Set by a variable.", tone: "info", icon: Server },
  file: { label: "File", sentence: "Set in the configuration file.", tone: "info", icon: Server },
  default: { label: "Default", sentence: "Not set, so the default is used.", tone: "neutral", icon: CircleDashed },
};

export const signInWay: Record<SignInWay, Word> = {
  password: { label: "Password", sentence: "Signed in with a name and a password.", tone: "neutral", icon: User },
  oidc: { label: "Identity provider", sentence: "Signed in at an identity provider.", tone: "neutral", icon: LogIn },
  token: { label: "Token", sentence: "Known by a token of this server.", tone: "neutral", icon: Server },
  jwt: { label: "Signed token", sentence: "Known by a token of an identity provider.", tone: "neutral", icon: Server },
  console: { label: "Console", sentence: "Works on the server's own machine.", tone: "neutral", icon: Cog },
  none: { label: "No sign-in", sentence: "This server does not require sign-in.", tone: "neutral", icon: User },
};
