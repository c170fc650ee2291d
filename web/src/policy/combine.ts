import { type Document, isMap, isSeq, type Node, parseDocument } from "yaml";
import { compare } from "./changes";
import { type Card, everyRule, type Model, read } from "./model";

/** One person's changes on top of another's. */
export interface Combined {
  text: string;
  /** The rules and settings that both changed, each in another way: mine are in the text. */
  clashes: string[];
}

const lists = ["rules", "checkpoints", "auto_approval"];

/** My changes since base, made to their text. Everything that only they changed stays as they wrote it. */
export function combine(base: string, mine: string, theirs: string): Combined | undefined {
  const [was, my, their] = [read(base), read(mine), read(theirs)];
  if (was.broken || my.broken || their.broken) return undefined;
  const doc = parse(theirs);
  const from = parse(mine);
  if (!isMap(doc.contents)) return { text: mine, clashes: [] };
  const theyChanged = new Set(compare(was, their).map(({ name }) => name));
  const clashes: string[] = [];
  const wanted = compare(was, my).filter(({ name }) => find(my, name) || find(was, name));
  // From the end: removing one must not move the next.
  const there = new Map(everyRule(their).map((card) => [card.name, card]));
  const gone: Card[] = [];
  const added: Card[] = [];
  for (const { name } of wanted) {
    const [ours, other] = [find(my, name), there.get(name)];
    if (same(ours, other)) continue;
    if (theyChanged.has(name)) clashes.push(name);
    if (ours && other) doc.setIn(other.path, nodeOf(from, ours));
    else if (ours) added.push(ours);
    else if (other) gone.push(other);
  }
  for (const card of gone.sort((a, b) => Number(b.path.at(-1)) - Number(a.path.at(-1)))) doc.deleteIn(card.path);
  for (const card of added) insert(doc, card, nodeOf(from, card));
  clashes.push(...mergeSettings(doc, parse(base), from));
  return { text: doc.toString({ lineWidth: 0 }), clashes };
}

const parse = (text: string) => parseDocument(text, { intAsBigInt: true });

const find = (model: Model, name: string) => everyRule(model).find((card) => card.name === name);

/** A rule as it is written, with its comments. */
const nodeOf = (doc: Document, card: Card): Node => (doc.getIn(card.path, true) as Node).clone() as Node;

function toPlain(node: unknown, doc: Document): unknown {
  return typeof node === "object" && node !== null && "toJS" in node
    ? (node as { toJS: (doc: Document) => unknown }).toJS(doc)
    : node;
}

function same(a: Card | undefined, b: Card | undefined): boolean {
  if (!a || !b) return a === b;
  const facts = ({ path, place, ...rest }: Card) => JSON.stringify(rest);
  return facts(a) === facts(b);
}

/** Adds a rule to the same list, before the first rule of a higher priority. */
function insert(doc: Document, card: Card, node: Node): void {
  const list = card.path.slice(0, -1);
  const seq = doc.getIn(list);
  if (!isSeq(seq)) {
    doc.setIn(list, doc.createNode([node]));
    return;
  }
  seq.flow = false;
  const at = seq.items.findIndex(
    (item) => card.priority !== undefined && isMap(item) && Number(item.get("priority") ?? 0) > card.priority,
  );
  seq.items.splice(at < 0 ? seq.items.length : at, 0, node);
}

/** Keys outside of the lists of rules. */
function mergeSettings(doc: Document, base: Document, mine: Document): string[] {
  const clashes: string[] = [];
  const keysOf = (d: Document, path: string[]) => {
    const map = path.length === 0 ? d.contents : d.getIn(path);
    return isMap(map) ? map.items.map(({ key }) => String((key as { value?: unknown }).value ?? key)) : [];
  };
  const text = (d: Document, path: string[]) =>
    JSON.stringify(toPlain(d.getIn(path, true), d), (_, v) => (typeof v === "bigint" ? String(v) : v));
  for (const path of [[], ["auto_approval"]] as string[][]) {
    const all = new Set([...keysOf(base, path), ...keysOf(mine, path)].filter((key) => !lists.includes(key)));
    for (const key of all) {
      const at = [...path, key];
      const [was, my, their] = [text(base, at), text(mine, at), text(doc, at)];
      if (was === my || my === their) continue;
      if (was !== their) clashes.push(key);
      if (my === undefined) doc.deleteIn(at);
      else doc.setIn(at, doc.createNode(toPlain(mine.getIn(at, true), mine)));
    }
  }
  return clashes;
}
