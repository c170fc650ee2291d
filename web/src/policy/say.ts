import { format, onTimeout } from "../words";
import { type Card, numberOf, object, rolloutOf, words } from "./model";

const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** "1 Sep 2027", or the text if it is not a date. */
export function dayOf(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : date.format(ms);
}

/** The effect of a rule, in parts of a sentence. */
export function actionParts({ effect, action }: Card): string[] {
  if (effect === "deny") return [`Refuses: ${String(action.deny)}`];
  const asking = askParts(action);
  if (effect === "ask") return asking.length > 0 ? asking : ["1 approval needed"];
  const out = [approved(action)];
  const sample = numberOf(action.sample_percentage);
  if (sample) out.push(`${format.percent(sample / 100)} reviewed afterwards`);
  if (action.expires_at) out.push(`until ${dayOf(String(action.expires_at))}`);
  const uses = numberOf(action.max_uses);
  if (uses !== undefined) out.push(`at most ${format.count(uses)} times`);
  if (action.irreversible === true) out.push("also irreversible actions");
  return out;
}

function approved(action: Record<string, unknown>): string {
  const share = rolloutOf(action);
  if (share === undefined) {
    const { to, over } = object(action.rollout);
    return `Approves a growing share: up to ${String(to ?? "?")} % over ${String(over ?? "?")}`;
  }
  return share >= 100 ? "Approves every case" : `Approves ${format.percent(share / 100)} of cases`;
}

function askParts(action: Record<string, unknown>): string[] {
  const out: string[] = [];
  const count = numberOf(action.require_approval_count) ?? 1;
  const roles = Object.entries(object(action.roles));
  if (roles.length > 0)
    out.push(`Approval needed from ${roles.map(([role, n]) => `${String(n)} ${format.title(role)}`).join(" and ")}`);
  else if (action.role)
    out.push(`${format.plural(count, "approval")} needed from ${format.title(words(action.role).join(", "))}`);
  else if (count > 1) out.push(`${format.plural(count, "approval")} needed`);
  const seconds = numberOf(action.timeout_seconds);
  if (seconds) {
    const what = typeof action.on_timeout === "string" ? action.on_timeout : "pause";
    const word = Object.hasOwn(onTimeout, what) ? onTimeout[what as keyof typeof onTimeout].label : what;
    out.push(`after ${format.duration(seconds * 1000)}: ${word.toLowerCase()}`);
  }
  const escalation = object(action.escalation);
  const to = words(escalation.escalate_to).map((who) => format.title(who.replace(/^role:/, "")));
  if (to.length > 0)
    out.push(
      `escalates to ${to.join(", ")} after ${format.duration((numberOf(escalation.after_seconds) ?? 0) * 1000)}`,
    );
  return out;
}

const names: Record<string, string> = {
  risk_level: "risk",
  operation_type: "operation",
  workflow: "workflow",
  agent: "agent",
  tool: "tool",
};

/** The condition of a rule until the server has put it into words. */
export function whenText(trigger: Record<string, unknown>): string {
  const out = Object.entries(names).flatMap(([key, name]) => {
    const list = words(trigger[key]);
    return list.length > 0 ? [`${name} is ${list.join(" or ")}`] : [];
  });
  for (const key of ["data_threshold", "custom_field"]) {
    const value = trigger[key];
    for (const one of Array.isArray(value) ? value : value ? [value] : []) {
      const { field, operator, value: limit } = object(one);
      out.push(`${String(field)} ${String(operator)} ${JSON.stringify(limit)}`);
    }
  }
  if (trigger.expr) out.push(String(trigger.expr));
  return out.join(" and ") || "always";
}
