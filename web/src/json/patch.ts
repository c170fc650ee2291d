import type { Raw } from "./raw";
import { compact, type Tree, treeOf } from "./tree";

// The changes that the API accepts are merge patches (RFC 7396). They contain the edits as written, digit by digit, and
// nothing else.

/** A change that a merge patch cannot express. */
export class CannotPatch extends Error {
  constructor(readonly path: string) {
    super(`${path || "the whole value"} cannot be set to null: leave the field out instead`);
  }
}

/** The merge patch that turns before into after; undefined if they are the same. Throws CannotPatch. */
export function mergePatch(before: Raw | null, after: Raw | null): Raw | undefined {
  const text = patch(treeOf(before), treeOf(after), "");
  return text === undefined ? undefined : { $json: text };
}

function patch(before: Tree, after: Tree, path: string): string | undefined {
  if (before.kind !== "object" || after.kind !== "object") {
    if (same(before, after)) return undefined;
    refuseNulls(after, path);
    return compact(after);
  }
  const old = new Map(before.members.map((m) => [m.key, m.value]));
  const now = new Map(after.members.map((m) => [m.key, m]));
  const out: string[] = [];
  for (const [key, member] of now) {
    const was = old.get(key);
    const here = `${path}/${key}`;
    if (was === undefined) {
      refuseNulls(member.value, here);
      out.push(`${member.keyText}:${compact(member.value)}`);
    } else {
      const change = patch(was, member.value, here);
      if (change !== undefined) out.push(`${member.keyText}:${change}`);
    }
  }
  for (const key of old.keys()) if (!now.has(key)) out.push(`${JSON.stringify(key)}:null`);
  return out.length > 0 ? `{${out.join(",")}}` : undefined;
}

/** In a merge patch null means "remove", so a literal null cannot be expressed, except inside lists. */
function refuseNulls(tree: Tree, path: string): void {
  if (tree.kind === "literal" && tree.text === "null") throw new CannotPatch(path);
  if (tree.kind === "object") for (const m of tree.members) refuseNulls(m.value, `${path}/${m.key}`);
}

/** Whether two values are written the same way; the order of keys does not matter. */
export function same(a: Tree, b: Tree): boolean {
  if (a.kind === "object" && b.kind === "object") {
    const left = new Map(a.members.map((m) => [m.key, m.value]));
    const right = new Map(b.members.map((m) => [m.key, m.value]));
    if (left.size !== right.size) return false;
    for (const [key, value] of left) {
      const other = right.get(key);
      if (other === undefined || !same(value, other)) return false;
    }
    return true;
  }
  if (a.kind === "array" && b.kind === "array") {
    return a.items.length === b.items.length && a.items.every((item, i) => same(item, b.items[i] as Tree));
  }
  if (a.kind === "string" && b.kind === "string") return a.value === b.value;
  return a.kind === b.kind && compact(a) === compact(b);
}

/** The number of places in which two values differ; a changed list counts once. */
export function countChanges(before: Raw | null, after: Raw | null): number {
  return count(treeOf(before), treeOf(after));
}

function count(a: Tree, b: Tree): number {
  if (a.kind !== "object" || b.kind !== "object") return same(a, b) ? 0 : 1;
  const left = new Map(a.members.map((m) => [m.key, m.value]));
  const right = new Map(b.members.map((m) => [m.key, m.value]));
  let total = 0;
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const was = left.get(key);
    const is = right.get(key);
    total += was && is ? count(was, is) : 1;
  }
  return total;
}
