import type { AuditEntry } from "../api/audit";
import type { Act, ActorKind, ApprovalStatus } from "../api/types";
import { plain, type Raw } from "../json";
import { act, actorKind, approvalStatus, format } from "../words";

type Detail = Record<string, unknown>;

const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");

/** "the workflow Refund", from KIND/NAME. */
function thing(target: string): string {
  const [kind = "", ...rest] = target.split("/");
  const name = rest.join("/");
  if (kind === "policy") return "the policy";
  return `the ${format.title(kind).toLowerCase()}${name ? ` ${kind === "account" || kind === "person" ? name : format.title(name)}` : ""}`;
}

const run = (d: Detail) => (text(d.workflow) ? `a run of ${format.title(text(d.workflow))}` : "a run");
const step = (d: Detail) => (text(d.step) ? ` at ${format.title(text(d.step))}` : "");
const approval = (d: Detail) => `an approval${step(d)} in ${run(d)}`;

function decided(d: Detail): string {
  const known = Object.hasOwn(act, text(d.act)) ? act[text(d.act) as Act] : undefined;
  return `${known ? known.done.toLowerCase() : "decided on"} ${approval(d)}`;
}

function settled(d: Detail): string {
  const status = text(d.status);
  const known = Object.hasOwn(approvalStatus, status) ? approvalStatus[status as ApprovalStatus].label : "";
  return `settled ${approval(d)}${known ? `: ${known}` : ""}`;
}

type Sentence = (detail: Detail, target: string) => string;

/** What each action means: a label for the filter, and the rest of a sentence that begins with who did it. */
export const actions: Record<string, { label: string; says: Sentence }> = {
  "approval.decided": { label: "Decisions", says: decided },
  "approval.resolved": { label: "Approvals settled", says: settled },
  "approval.auto_approved": { label: "Approvals by rules", says: (d) => `approved an action${step(d)} in ${run(d)}` },
  "approval.timed_out": { label: "Approvals timed out", says: (d) => `let ${approval(d)} time out` },
  "approval.escalated": { label: "Escalations", says: (d) => `escalated ${approval(d)}` },
  "approval.commented": { label: "Comments", says: (d) => `commented on ${approval(d)}` },
  "approvals.expired": { label: "Approvals expired", says: () => "expired unanswered approvals" },
  "run.started": { label: "Runs started", says: (d) => `started ${run(d)}` },
  "run.forked": { label: "Runs forked", says: (d) => `forked ${run(d)}` },
  "run.paused": { label: "Runs paused", says: (d) => `paused ${run(d)}` },
  "run.unpaused": { label: "Runs resumed", says: (d) => `resumed ${run(d)}` },
  "run.reopened": { label: "Runs reopened", says: (d) => `reopened ${run(d)}` },
  "run.cancelling": { label: "Cancellations", says: (d) => `asked to cancel ${run(d)}` },
  "run.cancelled": { label: "Runs cancelled", says: (d) => `cancelled ${run(d)}` },
  "run.proved": { label: "Proofs", says: () => "downloaded the proof of a run" },
  "step.skipped": { label: "Steps skipped", says: (d) => `skipped a step${step(d)} of ${run(d)}` },
  "step.args_changed": {
    label: "Step input changed",
    says: (d) => `changed the input of a step${step(d)} of ${run(d)}`,
  },
  "call.args_changed": { label: "Tool call changed", says: (d) => `changed a tool call${step(d)} of ${run(d)}` },
  "plan.changed": { label: "Plans changed", says: (d) => `changed the plan of ${run(d)}` },
  "replan.requested": { label: "New plans requested", says: (d) => `asked for a new plan of ${run(d)}` },
  "consult.retrying": { label: "Advice refused", says: (d) => `gave advice that was refused in ${run(d)}` },
  "consult.answered": { label: "No usable advice", says: (d) => `continued ${run(d)} without usable advice` },
  "limit.granted": { label: "Limits extended", says: (d) => `extended a limit of ${run(d)}` },
  "limit.raised": { label: "Limits raised", says: (d) => `raised a limit of ${run(d)}` },
  "message.added": { label: "Messages to runs", says: (d) => `sent a message to ${run(d)}` },
  "definition.saved": { label: "Documents saved", says: (_, t) => `saved ${thing(t)}` },
  "definition.published": {
    label: "Documents published",
    says: (d, t) => `published ${thing(t)}${text(d.version) ? `, version ${text(d.version)}` : ""}`,
  },
  "definition.text_saved": {
    label: "Comments and formatting changed",
    says: (d, t) =>
      `changed comments or formatting of ${thing(t)}${text(d.version) ? `, version ${text(d.version)}` : ""}`,
  },
  "definition.withdrawn": { label: "Documents withdrawn", says: (_, t) => `withdrew ${thing(t)}` },
  "working_copy.deleted": { label: "Drafts discarded", says: (_, t) => `discarded the draft of ${thing(t)}` },
  "policy.emergency_stop": {
    label: "Emergency stop",
    says: (d) => (d.on === false ? "lifted the emergency stop" : "pressed the emergency stop"),
  },
  "policy.risk_accepted": { label: "Risks accepted", says: () => "accepted the risk of a policy" },
  "sample.reviewed": {
    label: "Samples reviewed",
    says: (d) => (d.agree === false ? "called an automatic approval wrong" : "called an automatic approval right"),
  },
  "lesson.corrected": {
    label: "Lessons corrected",
    says: (d) =>
      d.removed === true ? "removed a lesson" : d.text === true ? "corrected a lesson" : "restored a lesson",
  },
  "deliverable.marked": { label: "Deliverables marked", says: () => "marked a deliverable" },
  "retention.removed": { label: "Retention", says: () => "deleted data after its retention time" },
  "payloads.removed": { label: "Payloads deleted", says: (d) => `deleted the payloads of ${run(d)}` },
  "agent.tried": { label: "Agents tried", says: (d, t) => `tried ${thing(t)}${"draft" in d ? " as a draft" : ""}` },
  "graph.forgotten": { label: "Learning forgotten", says: () => "forgot what runs taught" },
  "graph.rebuilt": { label: "Learning rebuilt", says: () => "rebuilt what runs taught" },
  "session.started": { label: "Sign-ins", says: () => "signed in" },
  "session.ended": { label: "Sign-outs", says: () => "signed out" },
  "account.created": { label: "Accounts created", says: (_, t) => `created ${thing(t)}` },
  "account.changed": { label: "Accounts changed", says: (_, t) => `changed ${thing(t)}` },
  "account.removed": { label: "Accounts removed", says: (_, t) => `removed ${thing(t)}` },
  "token.created": {
    label: "Tokens created",
    says: (d) => `created a token${text(d.name) ? ` for ${text(d.name)}` : ""}`,
  },
  "token.removed": {
    label: "Tokens revoked",
    says: (d) => `revoked a token${text(d.name) ? ` of ${text(d.name)}` : ""}`,
  },
  "subject.bound": { label: "Identities linked", says: () => "linked an identity" },
  "subject.released": { label: "Identities unlinked", says: () => "unlinked an identity" },
  "push.subscribed": { label: "Push messages on", says: () => "switched on push messages in a browser" },
  "push.unsubscribed": { label: "Push messages off", says: () => "switched off push messages in a browser" },
  "push.expired": { label: "Push messages expired", says: () => "removed a browser that no longer gets messages" },
  "delivery.retried": { label: "Messages sent again", says: () => "sent a message again" },
  "notifications.changed": {
    label: "Notification settings",
    says: () => "changed how they are notified",
  },
  "notifications.unsubscribed": {
    label: "Summaries unsubscribed",
    says: () => "unsubscribed from summaries by e-mail",
  },
  "stand_in.set": {
    label: "Stand-ins set",
    says: (d, t) => `made ${text(d.to) || "someone"} the stand-in for ${t.split("/").slice(1).join("/") || "a person"}`,
  },
  "stand_in.cleared": {
    label: "Stand-ins removed",
    says: (_, t) => `removed the stand-in for ${t.split("/").slice(1).join("/") || "a person"}`,
  },
  "audit.accepted": { label: "Log accepted as it is", says: () => "accepted the audit log as it is" },
  "audit.key_added": { label: "Signing keys", says: () => "began to sign with a new key" },
  "encryption.rotated": { label: "Encryption keys", says: () => "rotated the encryption key" },
  "encryption.rewritten": { label: "Encryption rewritten", says: () => "re-encrypted stored values" },
  "events.sealed": {
    label: "Events bound to the log",
    says: (d) =>
      `bound the events of ${Array.isArray(d.runs) ? format.plural(d.runs.length, "run") : "runs"} to the log`,
  },
};

/** What is only ever recorded when it is refused, as it follows "was refused". */
const attempts: Record<string, Sentence> = {
  "run.command": () => "sending a command to a run",
  "working_copy.saved": (_, t) => `saving the draft of ${thing(t)}`,
  "trigger.delivered": (_, t) => `a delivery to ${thing(t)}`,
  "integration.request": (_, t) => `a request for ${thing(t)}`,
  "notifications.unsubscribe": () => "unsubscribing by a link that is not valid",
  "audit.read": () => "reading the audit log",
  refused: () => "several requests",
};

function refusedText(entry: AuditEntry, detail: Detail): string {
  const known = Object.hasOwn(attempts, entry.action) ? attempts[entry.action] : undefined;
  if (known) return known(detail, entry.target);
  if (entry.action.startsWith("access.")) return `the request ${entry.target}`;
  return gerund(done(entry, detail));
}

function done(entry: AuditEntry, detail: Detail): string {
  const known = Object.hasOwn(actions, entry.action) ? actions[entry.action] : undefined;
  return known ? known.says(detail, entry.target) : format.title(entry.action).toLowerCase();
}

/** Who: a person by name, others by kind and name. */
export function whoText({ kind, name }: AuditEntry["actor"]): string {
  if (kind === "person" && name) return name;
  const word = actorKind[kind as ActorKind].label;
  if (kind === "policy") return name ? `The rule “${name}”` : "A rule";
  return name && kind !== "system" ? `${word} ${name}` : word;
}

/** What: the rest of the sentence. */
export function didText(entry: AuditEntry): string {
  const detail = detailOf(entry);
  if (entry.outcome !== "refused") return done(entry, detail);
  // Refusals without an entry of their own are counted in one.
  const count = Number(detail.count ?? 1);
  return `was refused ${refusedText(entry, detail)}${count > 1 ? `, ${format.count(count)} times` : ""}`;
}

const irregular: Record<string, string> = {
  began: "beginning",
  bound: "binding",
  forgot: "forgetting",
  let: "letting",
  made: "making",
  rebuilt: "rebuilding",
  sent: "sending",
};

/** "saved the policy" → "saving the policy". */
function gerund(did: string): string {
  const [verb = "", ...rest] = did.split(" ");
  const one = (word: string) => irregular[word] ?? word.replace(/ed$/, "ing");
  return [one(verb), ...(rest[0] === "and" ? ["and", one(rest[1] ?? ""), ...rest.slice(2)] : rest)].join(" ");
}

export function detailOf(entry: AuditEntry): Detail {
  return plain<Detail>(entry.detail) ?? {};
}

/** The reason that was given, or the reason of a refusal. */
export function reasonOf(entry: AuditEntry): string {
  const detail = detailOf(entry);
  const comment = entry.values?.comment ? plain<unknown>(entry.values.comment as Raw) : undefined;
  if (entry.outcome === "refused") return text(detail.why) || text(detail.code);
  return text(comment) || text(detail.reason);
}

const day = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

/** Entries by the day on which they were written. */
export function byDay(entries: AuditEntry[]): { day: string; entries: AuditEntry[] }[] {
  const out: { day: string; entries: AuditEntry[] }[] = [];
  for (const entry of entries) {
    const name = day.format(Date.parse(entry.at));
    const last = out.at(-1);
    if (last?.day === name) last.entries.push(entry);
    else out.push({ day: name, entries: [entry] });
  }
  return out;
}
