import { fieldName, type Kind } from "../words/fields";
import { insertAt, type Key, type Order, type Path, parsed, removeAt, setAt } from "./splice";

/** Both changed the same thing. Mine is kept until the person decides. */
export interface Clash {
  /** In words: "Step Send, Input › to". */
  where: string;
  kind: Kind;
  /** The path in its step or approval, or in the document. */
  field: Path;
  path: Path;
  mine: unknown;
  theirs: unknown;
}

/** A list of objects that are known by their id. */
export interface NamedList {
  key: string;
  /** One of them in words: "Step Read mail". */
  name: (id: string, fields: Record<string, unknown>) => string;
  /** The words of its fields. */
  kind: Kind;
  order: Order;
}

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * My changes and theirs, both made to the same text. Changes in different lines are merged by line, which keeps
 * comments; otherwise field by field, and member by member in the lists.
 */
export function mergeTexts(
  base: string,
  mine: string,
  theirs: string,
  kind: Kind,
  lists: readonly NamedList[] = [],
): Work {
  if (theirs === base || theirs === mine) return { text: mine, clashes: [] };
  if (mine === base) return { text: theirs, clashes: [] };
  const byLine = mergeLines(base, mine, theirs);
  if (byLine !== undefined && parsed(byLine).errors.length === 0) return { text: byLine, clashes: [] };
  return mergeFields(base, mine, theirs, lists, kind);
}

/* ---- by line ---- */

interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

function mergeLines(base: string, mine: string, theirs: string): string | undefined {
  const lines = base.split("\n");
  const a = hunks(lines, mine.split("\n"));
  const b = hunks(lines, theirs.split("\n"));
  if (!a || !b) return undefined;
  // Hunks that touch are in each other's way: which comes first is not known.
  for (const x of a) for (const y of b) if (x.from <= y.to && y.from <= x.to) return undefined;
  const out = [...lines];
  for (const { from, to, lines: by } of [...a, ...b].sort((x, y) => y.from - x.from))
    out.splice(from, to - from, ...by);
  return out.join("\n");
}

const linesMax = 3000;

/** The lines that differ. Undefined: too many to compare. */
function hunks(a: string[], b: string[]): Hunk[] | undefined {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let ends = 0;
  while (ends < a.length - start && ends < b.length - start && a[a.length - 1 - ends] === b[b.length - 1 - ends])
    ends++;
  const x = a.slice(start, a.length - ends);
  const y = b.slice(start, b.length - ends);
  if (x.length > linesMax || y.length > linesMax) return undefined;
  const width = y.length + 1;
  const table = new Uint16Array((x.length + 1) * width);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      table[i * width + j] =
        x[i] === y[j]
          ? (table[(i + 1) * width + j + 1] as number) + 1
          : Math.max(table[(i + 1) * width + j] as number, table[i * width + j + 1] as number);
    }
  }
  const out: Hunk[] = [];
  let i = 0;
  let j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) {
      i++;
      j++;
      continue;
    }
    const from = i;
    const first = j;
    while ((i < x.length || j < y.length) && !(i < x.length && j < y.length && x[i] === y[j])) {
      const down = i < x.length ? (table[(i + 1) * width + j] as number) : -1;
      const right = j < y.length ? (table[i * width + j + 1] as number) : -1;
      if (down >= right) i++;
      else j++;
    }
    out.push({ from: start + from, to: start + i, lines: y.slice(first, j) });
  }
  return out;
}

/* ---- by field ---- */

type Fields = Record<string, unknown>;

export const toObject = (text: string): Fields => {
  const doc = parsed(text);
  const value: unknown = doc.errors.length > 0 ? undefined : doc.toJS({ maxAliasCount: 0 });
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
};
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** The members of a list of objects, by their id. */
export const named = (value: unknown): { id: string; fields: Fields }[] =>
  Array.isArray(value) ? value.filter(isFields).map((fields) => ({ id: String(fields.id ?? ""), fields })) : [];

export interface Work {
  text: string;
  clashes: Clash[];
}

function mergeFields(base: string, mine: string, theirs: string, lists: readonly NamedList[], kind: Kind): Work {
  const [b, m, t] = [base, mine, theirs].map(toObject) as [Fields, Fields, Fields];
  if (Object.keys(t).length === 0 || Object.keys(m).length === 0) {
    return { text: mine, clashes: [{ where: "The whole text", kind, field: [], path: [], mine, theirs }] };
  }
  const work: Work = { text: mine, clashes: [] };
  for (const key of new Set([...Object.keys(b), ...Object.keys(t)])) {
    if (lists.some((list) => list.key === key)) continue;
    field(work, { path: [key], kind, own: [key] }, b[key], m[key], t[key], {});
  }
  for (const list of lists) members(work, list, b, m, t);
  return work;
}

/** Where a field is: in the document, and in its step or approval. */
interface Place {
  path: Path;
  kind: Kind;
  own: Path;
  /** The step or approval, in words. */
  of?: string;
}

function field(work: Work, place: Place, b: unknown, m: unknown, t: unknown, order: Order): void {
  const { path, kind, own, of } = place;
  if (same(b, t) || same(m, t)) return;
  if (isFields(t) && isFields(m) && (b === undefined || isFields(b))) {
    for (const key of new Set([...Object.keys(b ?? {}), ...Object.keys(t)])) {
      const inside = { ...place, path: [...path, key], own: [...own, key] };
      field(work, inside, (b as Fields | undefined)?.[key], m[key], t[key], order);
    }
    return;
  }
  if (!same(b, m)) {
    const name = fieldName(kind, own);
    work.clashes.push({ where: of ? `${of}, ${name}` : name, kind, field: own, path, mine: m, theirs: t });
    return;
  }
  work.text = setAt(work.text, path, t, order);
}

function members(work: Work, { key: list, name, kind, order }: NamedList, b: Fields, m: Fields, t: Fields): void {
  const [before, theirs] = [named(b[list]), named(t[list])];
  const mine = () => named(toObject(work.text)[list]);
  const find = (all: { id: string; fields: Fields }[], id: string) => all.find((one) => one.id === id);
  const whole = (id: string, fields: Fields) => ({ where: name(id, fields), kind, field: [], path: [list, id] });
  for (const { id, fields } of before) {
    if (find(theirs, id)) continue;
    const now = find(named(m[list]), id);
    if (!now) continue;
    if (same(now.fields, fields)) work.text = removeAt(work.text, [list, mine().findIndex((one) => one.id === id)]);
    else work.clashes.push({ ...whole(id, fields), mine: now.fields, theirs: undefined });
  }
  theirs.forEach(({ id, fields }, i) => {
    const was = find(before, id);
    const now = find(mine(), id);
    if (now) {
      const at = mine().findIndex((one) => one.id === id);
      for (const key of new Set([...Object.keys(was?.fields ?? {}), ...Object.keys(fields)])) {
        const place = { path: [list, at as Key, key], kind, own: [key], of: name(id, now.fields) };
        field(work, place, was?.fields[key], now.fields[key], fields[key], order);
      }
    } else if (!was) {
      const near = theirs.slice(0, i).findLast((one) => find(mine(), one.id));
      const at = near ? mine().findIndex((one) => one.id === near.id) + 1 : mine().length;
      work.text = insertAt(work.text, [list], at, fields);
    } else if (!same(was.fields, fields)) {
      work.clashes.push({ ...whole(id, fields), mine: undefined, theirs: fields });
    }
  });
}
