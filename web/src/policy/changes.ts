import type { Change } from "../api/types";
import { rawOf } from "../json";
import { type Card, everyRule, type Model } from "./model";

/** A rule that differs between two policies. */
export interface RuleChange {
  kind: "added" | "removed" | "changed" | "moved";
  name: string;
  card: Card;
  changes: Change[];
}

/** What differs between two policies, rule by rule. Rules are matched by name. */
export function compare(before: Model, after: Model): RuleChange[] {
  const old = new Map(everyRule(before).map((card) => [card.name, card]));
  const out: RuleChange[] = [];
  for (const card of everyRule(after)) {
    const was = old.get(card.name);
    old.delete(card.name);
    if (!was) {
      out.push({ kind: "added", name: card.name, card, changes: [] });
      continue;
    }
    const changes = differences(facts(was), facts(card));
    if (changes.length > 0) out.push({ kind: "changed", name: card.name, card, changes });
    else if (was.priority !== card.priority) out.push({ kind: "moved", name: card.name, card, changes: [] });
  }
  for (const card of old.values()) out.push({ kind: "removed", name: card.name, card, changes: [] });
  const settings = differences(withoutRules(before), withoutRules(after));
  const [any] = [...everyRule(after), ...everyRule(before)];
  if (settings.length > 0 && any)
    out.push({ kind: "changed", name: "Settings of automatic approval", card: any, changes: settings });
  return out;
}

const withoutRules = ({ settings }: Model) => ({ ...settings, rules: undefined });

const facts = ({ enabled, description, trigger, action }: Card) => ({
  enabled,
  ...(description ? { description } : {}),
  when: trigger,
  action,
});

/** Every leaf that differs, by path. */
function differences(before: unknown, after: unknown): Change[] {
  const from = leaves(before);
  const to = leaves(after);
  const out: Change[] = [];
  for (const path of new Set([...from.keys(), ...to.keys()])) {
    const [a, b] = [from.get(path), to.get(path)];
    if (a === b) continue;
    const op = a === undefined ? "add" : b === undefined ? "remove" : "replace";
    out.push({
      path,
      op,
      ...(a === undefined ? {} : { from: rawOf(JSON.parse(a)) }),
      ...(b === undefined ? {} : { to: rawOf(JSON.parse(b)) }),
    });
  }
  return out;
}

function leaves(value: unknown, path = "", out = new Map<string, string>()): Map<string, string> {
  if (value === undefined) return out;
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    for (const [key, one] of Object.entries(value)) leaves(one, `${path}/${key.replaceAll("/", "~1")}`, out);
  else out.set(path, JSON.stringify(Array.isArray(value) && value.length === 1 ? value[0] : value));
  return out;
}
