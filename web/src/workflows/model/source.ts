import type { Source } from "./catalog";

/** The data that a source is looked up in. */
export interface Scope {
  input?: unknown;
  /** The outputs of steps, as far as they are known. */
  steps: ReadonlyMap<string, unknown>;
  /** In a map: the first element. */
  item?: unknown;
}

export type Found =
  | { kind: "value"; value: unknown }
  /** The path leads nowhere; at is the part that is not there. */
  | { kind: "missing"; at: string }
  /** Nothing is known yet, such as the output of a step that has not run. */
  | { kind: "unknown" }
  | { kind: "wrong"; message: string };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Everything merged, as a step without a mapping gets it. */
function contextOf(scope: Scope): Record<string, unknown> {
  const out: Record<string, unknown> = isObject(scope.input) ? { ...scope.input } : {};
  for (const value of scope.steps.values()) if (isObject(value)) Object.assign(out, value);
  return out;
}

/** What a source of a mapping gives: a literal as JSON, or the value at a path. */
export function lookUp(source: unknown, scope: Scope): Found {
  if (typeof source !== "string") return { kind: "value", value: source };
  const text = source.trim();
  if (text === "") return { kind: "wrong", message: "Empty" };
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    if (/^["{[]/.test(text)) return { kind: "wrong", message: "Not valid JSON" };
  }
  const path = /^([\w-]+)((?:\.[\w-]+|\[\d+\])*)$/.exec(text);
  if (!path) return { kind: "wrong", message: 'A path such as input.name, or a text in quotes: "text"' };
  const [, head = "", rest = ""] = path;
  let value: unknown;
  if (head === "input") value = scope.input;
  else if (head === "item") value = scope.item;
  else if (head === "index") value = 0;
  else if (head === "context") value = contextOf(scope);
  else value = scope.steps.get(head);
  if (value === undefined) return { kind: "unknown" };
  let at = head;
  for (const part of rest.match(/\.[\w-]+|\[\d+\]/g) ?? []) {
    at += part;
    if (part.startsWith("[")) value = Array.isArray(value) ? value[Number(part.slice(1, -1))] : undefined;
    else if (part === ".length" && (Array.isArray(value) || typeof value === "string")) value = value.length;
    else value = isObject(value) && Object.hasOwn(value, part.slice(1)) ? value[part.slice(1)] : undefined;
    if (value === undefined) return { kind: "missing", at };
  }
  return { kind: "value", value };
}

/** The word before the caret that can be completed, and where it begins. */
export function wordAt(text: string, caret: number): { from: number; word: string } {
  const before = text.slice(0, caret);
  // Within a text in quotes there is nothing to complete.
  if ((before.match(/(?<!\\)"/g)?.length ?? 0) % 2 === 1) return { from: caret, word: "" };
  const word = /[A-Za-z_][\w.[\]-]*$/.exec(before)?.[0] ?? "";
  return { from: caret - word.length, word };
}

export interface Completion {
  text: string;
  hint: string;
}

/** How conditions are written, beside paths. */
export const conditionWords: readonly Completion[] = [
  { text: "and", hint: "both" },
  { text: "or", hint: "one of them" },
  { text: "not", hint: "the opposite" },
  { text: "contains", hint: 'tags contains "vip"' },
  { text: "in", hint: 'country in ["NO", "SE"]' },
  { text: "startsWith", hint: 'name startsWith "a"' },
  { text: "endsWith", hint: 'name endsWith "z"' },
  { text: "matches", hint: "a regular expression" },
  { text: "lower(", hint: "in lower case" },
  { text: "null", hint: "missing" },
  { text: "true", hint: "" },
  { text: "false", hint: "" },
];

const shownMax = 8;

/** What a word may become: paths that begin with it, then those whose last part does, then words of conditions. */
export function completionsOf(
  word: string,
  sources: readonly Source[],
  words: readonly Completion[] = [],
): Completion[] {
  const lower = word.toLowerCase();
  const leaf = (path: string) => path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const as = (s: Source): Completion => ({ text: s.path, hint: s.type });
  const starts = sources.filter((s) => s.path.toLowerCase().startsWith(lower));
  const ends = sources.filter((s) => !starts.includes(s) && leaf(s.path).startsWith(lower));
  const found = [...starts, ...ends]
    .map(as)
    .concat(words.filter((w) => lower && w.text.toLowerCase().startsWith(lower)));
  return found.filter((c) => c.text !== word).slice(0, shownMax);
}
