import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  type YAMLMap,
} from "yaml";

/**
 * Edits of a YAML text. Each is the smallest replacement of characters with that effect: comments, order, spelling and
 * spaces of everything else stay as written. Offsets are those of UTF-16, as in strings.
 */
export type Key = string | number;
export type Path = readonly Key[];

/** The text cannot be edited here, such as one with a syntax error, or an alias. */
export class NotEditable extends Error {}

// The texts that were parsed last, newest last: a form, its edit and taking that back read the same few.
const recent = new Map<string, Document.Parsed>();
const recentMax = 4;

/** Parses a text. Nothing changes what it returns. */
export function parsed(text: string): Document.Parsed {
  const doc =
    recent.get(text) ??
    parseDocument(text, { keepSourceTokens: false, prettyErrors: true, uniqueKeys: true, intAsBigInt: false });
  recent.delete(text);
  recent.set(text, doc);
  for (const oldest of recent.keys()) {
    if (recent.size <= recentMax) break;
    recent.delete(oldest);
  }
  return doc;
}

type Ranged = Node & { range: [number, number, number] };

function ranged(node: unknown): Ranged {
  const found = node as Ranged | null;
  if (!found?.range) throw new NotEditable("a value without a place");
  return found;
}

function docOf(text: string): Document.Parsed {
  const doc = parsed(text);
  if (doc.errors.length > 0) throw new NotEditable(doc.errors[0]?.message ?? "the text has an error");
  return doc;
}

const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key);
const pairOf = (map: YAMLMap, key: Key): Pair | undefined =>
  (map.items as Pair[]).find((pair) => keyOf(pair) === String(key));

/** The node at a path; undefined if there is none. */
export function nodeAt(doc: Document.Parsed, path: Path): Node | undefined {
  let node: unknown = doc.contents;
  for (const key of path) {
    if (isAlias(node)) throw new NotEditable("aliases cannot be edited here");
    if (isMap(node)) node = pairOf(node, key)?.value;
    else if (isSeq(node) && typeof key === "number") node = node.items[key];
    else return undefined;
  }
  return (node as Node | null | undefined) ?? undefined;
}

/** The characters of the node at a path: its first and the one after its last. */
export function placeOf(text: string, path: Path): [number, number] | undefined {
  try {
    const doc = parsed(text);
    for (let n = path.length; n >= 0; n--) {
      const node = nodeAt(doc, path.slice(0, n));
      if (node?.range && (n > 0 || path.length === 0)) return [node.range[0], endOf(text, node)];
    }
  } catch {
    // The place was not found.
  }
  return undefined;
}

/** The path of the innermost key, element or value at an offset. */
export function pathAt(text: string, offset: number): Path {
  const path: Key[] = [];
  let node: unknown = parsed(text).contents;
  for (;;) {
    if (isMap(node)) {
      const pair = (node.items as Pair[]).find((p) => {
        const end = p.value ? endOf(text, p.value as Node) : ranged(p.key).range[1];
        return offset >= ranged(p.key).range[0] && offset <= end;
      });
      if (!pair) return path;
      path.push(keyOf(pair));
      node = pair.value;
    } else if (isSeq(node)) {
      const i = node.items.findIndex((item) => {
        const at = (item as Node).range;
        return at && offset >= lineStart(text, at[0]) && offset <= endOf(text, item as Node);
      });
      if (i < 0) return path;
      path.push(i);
      node = node.items[i];
    } else return path;
  }
}

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;
const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};
const splice = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to);

/** Whether all lines end as on Windows. Edits keep that. */
const endsInCRLF = (text: string): boolean => text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
const withCRLF = (text: string, edit: (text: string) => string): string =>
  edit(text.replaceAll("\r\n", "\n")).replaceAll("\n", "\r\n");

const inFlow = (node: unknown): boolean => isCollection(node) && node.flow === true;

/** The end of what a node says, without what follows on its last line. */
function endOf(text: string, node: Node): number {
  if (isCollection(node) && !inFlow(node)) {
    const last = node.items.at(-1) as Pair | Node | undefined;
    if (last === undefined) return ranged(node).range[1];
    if (isMap(node)) {
      const pair = last as Pair;
      return pair.value ? endOf(text, pair.value as Node) : afterColon(text, ranged(pair.key).range[1]);
    }
    return endOf(text, last as Node);
  }
  const to = ranged(node).range[1];
  if (!isScalar(node) || !isBlockScalar(node)) return to;
  if (keepsEmptyLines(text, node)) return text[to - 1] === "\n" ? to - 1 : to;
  let end = to;
  while (end > 0 && /\s/.test(text[end - 1] as string)) end--;
  return end;
}

/** Whether empty lines after a text belong to it, as its header says: |+ */
const keepsEmptyLines = (text: string, node: unknown): boolean =>
  isScalar(node) && isBlockScalar(node) && /^[|>]\d?\+/.test(text.slice(ranged(node).range[0]));

const isBlockScalar = (node: Scalar): boolean =>
  node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;

function afterColon(text: string, at: number): number {
  const colon = text.indexOf(":", at);
  return colon < 0 ? at : colon + 1;
}

const columnOf = (text: string, at: number): number => at - lineStart(text, at);
const spaces = (n: number): string => " ".repeat(Math.max(0, n));

/* ---- values as text ---- */

const flat = (value: unknown): string =>
  stringify(value, {
    lineWidth: 0,
    collectionStyle: "flow",
    flowCollectionPadding: true,
    minContentWidth: 0,
  }).trimEnd();

const widest = 100;

/** A value in one line, as in { a: b }. */
export function inline(value: unknown): string {
  if (typeof value === "string" && value.includes("\n")) return JSON.stringify(value);
  const text = flat(value).replace(/\[ (.*?) \]/g, "[$1]");
  return text.includes("\n") ? JSON.stringify(value) : text;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isLeaf = (value: unknown): boolean => typeof value !== "object" || value === null;
const small = (value: unknown): boolean =>
  isLeaf(value) ||
  (Array.isArray(value)
    ? value.every(isLeaf)
    : Object.values(value as object).every(isLeaf) || inline(value).length <= 60);

/** A value after "key:", with what separates them, for a key at some column. */
function afterKey(value: unknown, column: number): string {
  if (typeof value === "string" && value.includes("\n")) {
    const lines = value.replace(/\n$/, "").split("\n");
    const mark = value.endsWith("\n") ? "|" : "|-";
    return ` ${mark}\n${lines.map((line) => (line ? spaces(column + 2) + line : "")).join("\n")}`;
  }
  const short = inline(value);
  if (isLeaf(value) || (small(value) && short.length + column <= widest) || Object.keys(value as object).length === 0)
    return ` ${short}`;
  return `\n${block(value, column + 2)}`;
}

/** A value in lines of its own. */
function block(value: unknown, column: number): string {
  if (Array.isArray(value)) return value.map((item) => `${spaces(column)}- ${element(item, column + 2)}`).join("\n");
  return Object.entries(value as object)
    .map(([key, v]) => `${spaces(column)}${inline(key)}:${afterKey(v, column)}`)
    .join("\n");
}

/** An element of a list after "- ", whose keys begin at some column. */
function element(value: unknown, column: number): string {
  if (isLeaf(value) || Array.isArray(value) || Object.keys(value as object).length === 0) return inline(value);
  return block(value, column).trimStart();
}

/** A leaf in the style of the one that it replaces. */
function leaf(value: unknown, old: Scalar, flow: boolean): string {
  // Quotes that the old value needed, such as those of "2" while 2s is typed, go with it.
  const needed = typeof old.value === "string" && /^["']/.test(flat(old.value));
  if (typeof value === "string" && !value.includes("\n") && !needed) {
    if (old.type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value);
    if (old.type === Scalar.QUOTE_SINGLE) return `'${value.replaceAll("'", "''")}'`;
  }
  if (!flow) return inline(value);
  // Inside of { } and [ ] more characters mean something.
  return stringify([value], { lineWidth: 0, collectionStyle: "flow", flowCollectionPadding: false })
    .trim()
    .slice(1, -1)
    .trim();
}

/* ---- edits ---- */

export interface Order {
  /** The keys in the order in which people write them: a new one goes after those that come before it. */
  keys?: readonly string[];
}

/** Sets the value at a path, and makes the objects that lead there. Undefined removes it. */
export function setAt(text: string, path: Path, value: unknown, order: Order = {}): string {
  if (value === undefined) return removeAt(text, path);
  if (endsInCRLF(text)) return withCRLF(text, (t) => setAt(t, path, value, order));
  const doc = docOf(text);
  const parent = nodeAt(doc, path.slice(0, -1));
  const key = path.at(-1) as Key;
  if (parent === undefined || (isScalar(parent) && parent.value === null)) {
    return setAt(text, path.slice(0, -1), { [key]: value }, order);
  }
  if (isSeq(parent)) {
    const item = parent.items[key as number] as Node | undefined;
    if (item === undefined) return insertAt(text, path.slice(0, -1), parent.items.length, value);
    return replaced(text, item, value, inFlow(parent), columnOf(text, ranged(item).range[0]) - 2, false);
  }
  if (!isMap(parent)) throw new NotEditable(`${path.slice(0, -1).join(".")} is not an object`);
  const pair = pairOf(parent, key);
  if (!pair) return added(text, parent, String(key), value, order);
  const flow = inFlow(parent);
  const column = columnOf(text, ranged(pair.key).range[0]);
  const node = pair.value as Node | null;
  const empty = node === null || (isScalar(node) && node.value === null && node.range?.[0] === node.range?.[1]);
  if (empty) {
    const at = afterColon(text, ranged(pair.key).range[1]);
    return splice(text, at, at, flow ? ` ${inline(value)}` : afterKey(value, column));
  }
  return replaced(text, node as Node, value, flow, column, true, ranged(pair.key).range[1]);
}

function replaced(
  text: string,
  node: Node,
  value: unknown,
  flow: boolean,
  column: number,
  inMap: boolean,
  keyEnd = 0,
): string {
  const [from] = ranged(node).range;
  const to = endOf(text, node);
  if (isScalar(node) && isLeaf(value) && !isBlockScalar(node) && !(typeof value === "string" && value.includes("\n"))) {
    if (node.value === value) return text;
    return splice(text, from, to, leaf(value, node, flow));
  }
  if (flow || inFlow(node) || !inMap) {
    const short = inline(value);
    if (flow || (inFlow(node) && short.length + column <= widest + 20)) return splice(text, from, to, short);
    if (!inMap) return splice(text, from, to, element(value, column + 2));
  }
  const start = afterColon(text, keyEnd);
  return splice(text, start, to, afterKey(value, column));
}

function added(text: string, map: YAMLMap, key: string, value: unknown, order: Order): string {
  const pairs = map.items as Pair[];
  const rank = (name: string) => (order.keys ? order.keys.indexOf(name) : -1);
  const mine = rank(key);
  let before = pairs.length - 1;
  if (mine >= 0) {
    before = pairs.findLastIndex((p) => rank(keyOf(p)) >= 0 && rank(keyOf(p)) < mine);
    if (before < 0) before = pairs.some((p) => rank(keyOf(p)) >= 0) ? 0 : pairs.length - 1;
  }
  const last = pairs[before];
  if (inFlow(map)) {
    const entry = `${inline(key)}: ${inline(value)}`;
    if (!last) return splice(text, ranged(map).range[0], ranged(map).range[1], `{ ${entry} }`);
    const at = last.value ? endOf(text, last.value as Node) : ranged(last.key).range[1];
    return splice(text, at, at, `, ${entry}`);
  }
  if (!last) throw new NotEditable("an empty object without braces");
  const column = columnOf(text, ranged(last.key).range[0]);
  const end = last.value ? endOf(text, last.value as Node) : afterColon(text, ranged(last.key).range[1]);
  const at = lineEnd(text, end);
  return splice(text, at, at, `\n${spaces(column)}${inline(key)}:${afterKey(value, column)}`);
}

/** Removes a key or an element, with the comment on its lines. An object or list that becomes empty is removed too. */
export function removeAt(text: string, path: Path): string {
  if (endsInCRLF(text)) return withCRLF(text, (t) => removeAt(t, path));
  const doc = docOf(text);
  const parent = nodeAt(doc, path.slice(0, -1));
  const key = path.at(-1) as Key;
  if (isMap(parent)) {
    const pairs = parent.items as Pair[];
    const i = pairs.findIndex((p) => keyOf(p) === String(key));
    if (i < 0) return text;
    if (pairs.length === 1) return path.length === 1 ? text : removeAt(text, path.slice(0, -1));
    const spans = pairs.map((p): [number, number] => {
      const from = ranged(p.key).range[0];
      return [from, p.value ? endOf(text, p.value as Node) : afterColon(text, ranged(p.key).range[1])];
    });
    const out = without(text, spans, i, inFlow(parent));
    if (!keepsEmptyLines(text, pairs[i - 1]?.value)) return out;
    // Empty lines after the removed one would belong to the text before it.
    const at = lineEnd(out, spans[i - 1]?.[1] ?? 0) + 1;
    return out.slice(0, at) + out.slice(at).replace(/^(?:[ \t]*\n)+/, "");
  }
  if (!isSeq(parent) || typeof key !== "number" || parent.items[key] === undefined) return text;
  const items = parent.items as Node[];
  const flow = inFlow(parent);
  if (items.length === 1) {
    if (path.length < 2) throw new NotEditable("a list without a name");
    return flow
      ? splice(text, ranged(parent).range[0], ranged(parent).range[1], "[]")
      : removeAt(text, path.slice(0, -1));
  }
  const spans = items.map((node): [number, number] => {
    const from = ranged(node).range[0];
    return [flow ? from : text.lastIndexOf("-", from - 1), endOf(text, node)];
  });
  return without(text, spans, key, flow);
}

/** The text without one of several entries. */
function without(text: string, spans: [number, number][], i: number, flow: boolean): string {
  const [from, to] = spans[i] as [number, number];
  const next = spans[i + 1]?.[0];
  if (flow) return withoutFlow(text, spans, i);
  const start = lineStart(text, from);
  if (text.slice(start, from).trim() !== "") {
    // The first key of an element stands after its dash: the next one takes its place.
    if (next === undefined) throw new NotEditable("this cannot be removed here");
    return splice(text, from, next, "");
  }
  const end = lineEnd(text, to);
  return end < text.length ? splice(text, start, end + 1, "") : splice(text, Math.max(0, start - 1), end, "");
}

/** The same in { } or [ ], which may have several lines: comments on lines of other entries stay. */
function withoutFlow(text: string, spans: [number, number][], i: number): string {
  const [from, to] = spans[i] as [number, number];
  const last = spans[i - 1]?.[1];
  const next = spans[i + 1]?.[0];
  if (next === undefined) {
    if (last === undefined) return splice(text, from, to, "");
    const between = text.slice(last, from);
    const comment = between.indexOf("#");
    const comma = between.indexOf(",");
    if (comment < 0 || comma > comment) return splice(text, last, to, "");
    return splice(text, last, to, between.slice(0, comma) + between.slice(comma + 1).replace(/^(?=#)/, " "));
  }
  const between = text.slice(to, next);
  const line = between.indexOf("\n");
  const comma = between.indexOf(",");
  if (line < 0 || comma > line) return splice(text, from, next, "");
  const start = lineStart(text, from);
  if (text.slice(start, from).trim() === "") return splice(text, start, to + line + 1, "");
  if (last !== undefined && last > start) return splice(text, last, to, "");
  return between.includes("#") ? splice(text, from, to + comma + 1, "") : splice(text, from, next, "");
}

/** Inserts an element into a list before the one with an index; the list is made if there is none. */
export function insertAt(text: string, path: Path, index: number, value: unknown, order: Order = {}): string {
  if (endsInCRLF(text)) return withCRLF(text, (t) => insertAt(t, path, index, value, order));
  const doc = docOf(text);
  const seq = nodeAt(doc, path);
  if (!isSeq(seq)) {
    if (seq !== undefined && !(isScalar(seq) && seq.value === null)) throw new NotEditable("not a list");
    return setAt(text, path, [value], order);
  }
  const items = seq.items as Node[];
  if (items.length === 0) {
    if (isLeaf(value)) return splice(text, ranged(seq).range[0], ranged(seq).range[1], inline([value]));
    const column = indentAt(text, ranged(seq).range[0]);
    let from = ranged(seq).range[0];
    while (text[from - 1] === " ") from--;
    return splice(text, from, ranged(seq).range[1], `\n${spaces(column + 2)}- ${element(value, column + 4)}`);
  }
  const at = Math.min(Math.max(index, 0), items.length);
  if (inFlow(seq)) {
    const before = items[at - 1];
    if (before) return splice(text, endOf(text, before), endOf(text, before), `, ${inline(value)}`);
    const first = ranged(items[0]).range[0];
    return splice(text, first, first, `${inline(value)}, `);
  }
  const near = items[at - 1] ?? (items[0] as Node);
  const dash = text.lastIndexOf("-", ranged(near).range[0] - 1);
  const column = columnOf(text, dash);
  const width = Math.max(2, ranged(near).range[0] - dash);
  const flow = inFlow(near) && isObject(value) && small(value) && inline(value).length + column <= widest;
  const entry = `${spaces(column)}-${spaces(width - 1)}${flow ? inline(value) : element(value, column + width)}`;
  if (at === 0) return splice(text, lineStart(text, dash), lineStart(text, dash), `${entry}\n`);
  const end = lineEnd(text, endOf(text, near));
  return splice(text, end, end, `\n${entry}`);
}

function indentAt(text: string, at: number): number {
  const start = lineStart(text, at);
  return (/^ */.exec(text.slice(start))?.[0] ?? "").length;
}
