import type { Tree } from "../json";
import { format } from "../words";
import type { Evidence, Known } from "./evidence";
import { labelOf, memberSchema, type Schema } from "./schema";
import { currencyOf, dateText, isMoney, moneyText, wordsOf } from "./typed";

/** A value that tells what a decision is about. */
export interface KeyFact {
  kind: "money" | "whom" | "object" | "date" | "other" | "history";
  /** The field it is in. */
  key: string;
  label: string;
  text: string;
  evidence: Evidence[];
}

type Members = Extract<Tree, { kind: "object" }>["members"];

const whom = /^(to|recipient|customer|payee|user|account|employee|vendor|supplier|person|email|assignee)( id| name)?$/;
const object = /^(path|file|url|order|order id|invoice|table|repository|branch|host|environment|action)$/;
const rank: KeyFact["kind"][] = ["money", "whom", "object", "date", "other", "history"];

const most = 3;
const longest = 80; // longer values do not fit in a line, and are never truncated

/** The decision in one line: amount, recipient, object, date. Each value is shown in full, or not at all. */
export function keyFacts(
  members: Members,
  options: { schema: Schema; title: string; evidence: Map<string, Evidence[]>; known: Known[] },
): KeyFact[] {
  const { schema, title, evidence, known } = options;
  const found: KeyFact[] = [];
  for (const { key, value } of members) {
    const kind = kindOf(key, value);
    if (!kind) continue;
    const text = textOf(key, value, members);
    if (text === "" || text.length > longest || text.includes("\n")) continue;
    if (kind !== "money" && title.includes(text)) continue;
    const label = labelOf(key, memberSchema(schema, key, schema));
    found.push({ kind, key, label, text, evidence: evidence.get(key) ?? [] });
  }
  found.sort((a, b) => rank.indexOf(a.kind) - rank.indexOf(b.kind));
  const telling = found.filter((f) => f.kind !== "other");
  return [...(telling.length > 0 ? telling : found).slice(0, most), ...historyIn(known)];
}

function kindOf(key: string, value: Tree): KeyFact["kind"] | undefined {
  const words = wordsOf(key);
  if (words.endsWith("currency")) return undefined; // shown with its amount
  if (value.kind === "number") return isMoney(key) ? "money" : "other";
  if (value.kind !== "string") return undefined;
  if (whom.test(words)) return "whom";
  if (object.test(words)) return "object";
  return dateText(value.value) ? "date" : "other";
}

function textOf(key: string, value: Tree, members: Members): string {
  if (value.kind === "number") return isMoney(key) ? moneyText(value.text, currencyOf(key, members)) : value.text;
  if (value.kind !== "string") return "";
  return dateText(value.value) ?? value.value;
}

/** "order.earlier_refunds": 1 → "1 earlier refund": history matters for a decision. */
function historyIn(known: Known[]): KeyFact[] {
  for (const { from, value } of known) {
    const match = /^((?:earlier|previous|prior|past) [a-z ]+)s$/.exec(wordsOf(from));
    if (match?.[1] && value.kind === "number" && /^[1-9]\d{0,8}$/.test(value.text))
      return [
        { kind: "history", key: from, label: "", text: format.plural(Number(value.text), match[1]), evidence: [] },
      ];
  }
  return [];
}
