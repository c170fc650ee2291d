import { compact, type Tree } from "../json";
import { wordsOf } from "./typed";

/** Something that the workflow shows, or that an earlier step gave, which says the same as a field, or not. */
export interface Evidence {
  /** Where it is: "order.total". */
  from: string;
  text: string;
  equal: boolean;
}

export interface Known {
  from: string;
  value: Tree;
  /** The workflow shows it for comparison. */
  shown: boolean;
}

type Members = Extract<Tree, { kind: "object" }>["members"];

/** Scalars of a value, each with the way to it; lists are not compared. */
export function knownIn(tree: Tree, shown: boolean, way = "", depth = 0): Known[] {
  if (tree.kind === "object") {
    if (depth > 2) return [];
    return tree.members.flatMap((m) => knownIn(m.value, shown, way ? `${way}.${m.key}` : m.key, depth + 1));
  }
  if (tree.kind === "array" || (tree.kind === "literal" && tree.text === "null")) return [];
  return way ? [{ from: way, value: tree, shown }] : [];
}

/** Names that mean the same thing: what is to be paid is compared with the price, whoever gets it with the address. */
const alike = [
  ["amount", "total", "price", "sum"],
  ["to", "email", "recipient"],
];

/** Names of one thing, such as the subject of an e-mail and of a ticket, are no reason to compare the two. */
const ambiguous = new Set(["name", "title", "subject", "text", "body", "type", "status", "summary", "description"]);

function sameMeaning(a: string, b: string): boolean {
  return alike.some((names) => names.includes(a) && names.includes(b));
}

/** A text that hardly stands in two places by chance: an address, a number of an order. */
function distinctive(tree: Tree): boolean {
  return tree.kind === "string" && tree.value.length >= 6 && /[\d@]/.test(tree.value) && !/\s/.test(tree.value);
}

/** Equal to the last digit: 2400.0 and 2400.00 are one number, "2400" is a text. */
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
 * What bears on each field of a proposal, by its key. Equal is said only of the very same value; different only where the
 * names are the same, or where the workflow shows it for comparison.
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

/** All differences, then agreement; each place once. */
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
