import { rawOf, type Tree, treeOf } from "../json";

// Edits of a tree. Untouched values keep their text, digit by digit.

export type Path = readonly (string | number)[];

/** The JSON pointer of a path: ["a/b", 0] → "/a~1b/0". */
export function pointerOf(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export const text = (value: string): Tree => ({ kind: "string", value, text: JSON.stringify(value) });
/** A number as typed; it may not be valid yet, see isNumber. */
export const number = (typed: string): Tree => ({ kind: "number", text: typed });
export const literal = (value: boolean | null): Tree => ({ kind: "literal", text: `${value}` });
export const object = (): Tree => ({ kind: "object", members: [] });
/** The tree of a value in a schema, such as a default. */
export const treeOfValue = (value: unknown): Tree => treeOf(rawOf(value));

const numberForm = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Whether a text is a valid JSON number. */
export function isNumber(typed: string): boolean {
  return numberForm.test(typed);
}

/** The tree with another value at a path; undefined removes it. */
export function setAt(tree: Tree, path: Path, value: Tree | undefined): Tree {
  const [head, ...rest] = path;
  if (head === undefined) return value ?? literal(null);
  if (tree.kind === "array" && typeof head === "number") {
    const items = [...tree.items];
    if (rest.length === 0 && value === undefined) items.splice(head, 1);
    else items[head] = setAt(items[head] ?? literal(null), rest, value);
    return { kind: "array", items };
  }
  const key = String(head);
  const members = tree.kind === "object" ? [...tree.members] : [];
  const i = members.findLastIndex((m) => m.key === key);
  if (rest.length === 0 && value === undefined)
    return { kind: "object", members: members.filter((m) => m.key !== key) };
  const member = {
    key,
    keyText: members[i]?.keyText ?? JSON.stringify(key),
    value: setAt(members[i]?.value ?? object(), rest, value),
  };
  if (i >= 0) members[i] = member;
  else members.push(member);
  return { kind: "object", members };
}

/** The places with an invalid number. */
export function badNumbers(tree: Tree, path: Path = []): string[] {
  switch (tree.kind) {
    case "number":
      return isNumber(tree.text) ? [] : [pointerOf(path)];
    case "object":
      return tree.members.flatMap((m) => badNumbers(m.value, [...path, m.key]));
    case "array":
      return tree.items.flatMap((item, i) => badNumbers(item, [...path, i]));
    default:
      return [];
  }
}

/** A tree with a merge patch (RFC 7396) applied. */
export function applyPatch(tree: Tree, patch: Tree): Tree {
  if (patch.kind !== "object") return patch;
  let out: Tree = tree.kind === "object" ? tree : object();
  for (const member of patch.members) {
    const was = out.kind === "object" ? out.members.findLast((m) => m.key === member.key)?.value : undefined;
    const gone = member.value.kind === "literal" && member.value.text === "null";
    out = setAt(out, [member.key], gone ? undefined : applyPatch(was ?? literal(null), member.value));
  }
  return out;
}
