import type { Raw } from "./raw";
import { Scanner } from "./scan";

/** A JSON value that keeps the spelling of its scalars, and the order (and duplicates) of its keys. */
export type Tree =
  | { kind: "object"; members: { key: string; keyText: string; value: Tree }[] }
  | { kind: "array"; items: Tree[] }
  | { kind: "string"; value: string; text: string }
  | { kind: "number"; text: string }
  | { kind: "literal"; text: "true" | "false" | "null" };

export function treeOf(value: Raw | string | null | undefined): Tree {
  const text = typeof value === "string" ? value : (value?.$json ?? "null");
  const scanner = new Scanner(text);
  const tree = read(scanner);
  if (scanner.peek() !== "") throw new SyntaxError(`unexpected text at ${scanner.at}`);
  return tree;
}

function read(s: Scanner): Tree {
  switch (s.peek()) {
    case "{": {
      const members: { key: string; keyText: string; value: Tree }[] = [];
      s.object((keyText) => members.push({ key: JSON.parse(keyText), keyText, value: read(s) }));
      return { kind: "object", members };
    }
    case "[": {
      const items: Tree[] = [];
      s.array(() => items.push(read(s)));
      return { kind: "array", items };
    }
    case '"': {
      const text = s.string();
      return { kind: "string", value: JSON.parse(text), text };
    }
    default: {
      const text = s.scalar();
      return text === "true" || text === "false" || text === "null"
        ? { kind: "literal", text }
        : { kind: "number", text };
    }
  }
}

/** The text of a tree on one line. */
export function compact(tree: Tree): string {
  if (tree.kind === "object") return `{${tree.members.map((m) => `${m.keyText}:${compact(m.value)}`).join(",")}}`;
  if (tree.kind === "array") return `[${tree.items.map(compact).join(",")}]`;
  return tree.text;
}

/** The text of a tree over several lines; scalars as written. */
export function pretty(tree: Tree, indent = ""): string {
  const inner = `${indent}  `;
  if (tree.kind === "object" && tree.members.length > 0) {
    const lines = tree.members.map((m) => `${inner}${m.keyText}: ${pretty(m.value, inner)}`);
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  if (tree.kind === "array" && tree.items.length > 0) {
    return `[\n${tree.items.map((i) => inner + pretty(i, inner)).join(",\n")}\n${indent}]`;
  }
  return compact(tree);
}

/** The value at a JSON pointer ("/a/0"); undefined if there is none. */
export function at(tree: Tree, pointer: string): Tree | undefined {
  let here: Tree | undefined = tree;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (here?.kind === "object") here = here.members.findLast((m) => m.key === key)?.value;
    else if (here?.kind === "array") here = here.items[Number(key)];
    else return undefined;
  }
  return here;
}

/** A scalar as people read it (strings without quotes); objects and lists on one line. */
export function plainText(tree: Tree): string {
  return tree.kind === "string" ? tree.value : compact(tree);
}
