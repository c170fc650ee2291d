import { compact, type Tree } from "../json";
import { wordsOf } from "./typed";

/** A value shown by the workflow, or returned by an earlier step, that agrees or disagrees with a field. */
export interface Evidence {
  /** Its path: "order.total". */
  from: string;
  text: string;
  equal: boolean;
}

export interface Known {
  from: string;
  value: Tree;
  /** Shown by the workflow for comparison. */
  shown: boolean;
}

type Members = Extract<Tree, { kind: "object" }>["members"];

/** Scalars in a value, each with its path; lists are not compared. */
export function knownIn(tree: Tree, shown: boolean, way = "", depth = 0): Known[] {
  if (tree.kind === "object") {
    if (depth > 2) return [];
    return tree.members.flatMap((m) => knownIn(m.value, shown, way ? `${way}.${m.key}` : m.key, depth + 1));
  }
  if (tree.kind === "array" || (tree.kind === "literal" && tree.text === "null")) return [];
  return way ? [{ from: way, value: tree, shown }] : [];
}

/** Names that mean the same thing: an amount to pay is compared with the price, a recipient with the address. */
const alike = [
  ["amount", "total", "price", "sum"],
  ["to", "email", "recipient"],
];

/** Names too generic to compare by, such as the subject of an e-mail and of a ticket. */
const ambiguous = new Set(["name", "title", "subject", "text", "body", "type", "status", "summary", "description"]);

function sameMeaning(a: string, b: string): boolean {
  return alike.some((names) => names.includes(a) && names.includes(b));
}

/** A text unlikely to occur twice by chance: an address, an order number. */
function distinctive(tree: Tree): boolean {
  return tree.kind === "string" && tree.value.length >= 6 && /[\d@]/.test(tree.value) && !/\s/.test(tree.value);
}

/** Equal to the last digit: 2400.0 and 2400.00 are the same number, "2400" is a text. */
export function sameValue(a: Tree, b: Tree): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "string" && b.kind === "string") return a.value === b.value;
  if (a.kind === "number" && b.kind === "number") return decimal(a.text) === decimal(b.text);
  return compact(a) === compact(b);
}

function decimal(text: string): string {
  const match = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/.exec(text);
  if (!match) return text;
  const [, sign = "", whole = "0", fraction = ""] = match;
  return `${whole === "0" && !fraction ? "" : sign}${whole}${fraction ? `.${fraction}` : ""}`;
}

const most = 2;

/**
 * Evidence for each field of a proposal, by key. Only identical values count as equal. Values count as different only
 * if the names match or the workflow shows them for comparison.
 */
export function evidenceFor(members: Members, known: Known[]): Map<string, Evidence[]> {
  const out = new Map<string, Evidence[]>();
  for (const { key, value } of members) {
    if (value.kind === "object" || value.kind === "array" || compact(value) === "null") continue;
    const name = wordsOf(key);
    const found: Evidence[] = [];
    for (const one of known) {
      const other = wordsOf(one.from);
      const named = name === other && !ambiguous.has(name);
      const equal = sameValue(value, one.value);
      const comparable = value.kind === one.value.kind;
      const says = equal
        ? named || sameMeaning(name, other) || distinctive(value)
        : comparable && (named || (one.shown && sameMeaning(name, other)));
      if (says) found.push({ from: one.from, text: plainOf(one.value), equal });
    }
    const kept = mostTelling(found);
    if (kept.length > 0) out.set(key, kept);
  }
  return out;
}

/** All differences, then agreements; each place once. */
function mostTelling(found: Evidence[]): Evidence[] {
  const unlike = found.filter((e) => !e.equal);
  const like = found.filter((e) => e.equal).slice(0, Math.max(1, most - unlike.length));
  const seen = new Set<string>();
  return [...unlike, ...like].filter((e) => {
    const face = `${wordsOf(e.from)} ${e.text} ${e.equal}`;
    if (seen.has(face)) return false;
    seen.add(face);
    return true;
  });
}

function plainOf(tree: Tree): string {
  return tree.kind === "string" ? tree.value : compact(tree);
}
