import type { Change } from "../api/types";
import { compact, type Raw, same, type Tree } from "../json";
import { type Path, pointerOf } from "./edit";

const asRaw = (tree: Tree): Raw => ({ $json: compact(tree) });

/** Differences between two values, place by place. Lists of different lengths differ as a whole. */
export function diffOf(before: Tree, after: Tree, path: Path = []): Change[] {
  if (before.kind === "object" && after.kind === "object") {
    const old = new Map(before.members.map((m) => [m.key, m.value]));
    const now = new Map(after.members.map((m) => [m.key, m.value]));
    return [...new Set([...old.keys(), ...now.keys()])].flatMap((key): Change[] => {
      const here = [...path, key];
      const was = old.get(key);
      const is = now.get(key);
      if (was && is) return diffOf(was, is, here);
      if (was) return [{ path: pointerOf(here), op: "remove", from: asRaw(was) }];
      return is ? [{ path: pointerOf(here), op: "add", to: asRaw(is) }] : [];
    });
  }
  if (before.kind === "array" && after.kind === "array" && before.items.length === after.items.length) {
    return before.items.flatMap((item, i) => diffOf(item, after.items[i] as Tree, [...path, i]));
  }
  if (same(before, after)) return [];
  return [{ path: pointerOf(path), op: "replace", from: asRaw(before), to: asRaw(after) }];
}

export interface Piece {
  kind: "same" | "out" | "in";
  text: string;
}

const cellsMax = 1_000_000; // of the longest-common-subsequence table

/** The word-by-word diff of two texts; undefined if they are too long or have little in common. */
export function wordsDiff(before: string, after: string): Piece[] | undefined {
  const a = before.split(/(\s+)/).filter(Boolean);
  const b = after.split(/(\s+)/).filter(Boolean);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const left = a.slice(head, a.length - tail);
  const right = b.slice(head, b.length - tail);
  if (left.length * right.length > cellsMax) return undefined;
  const out = [
    ...a.slice(0, head).map((text): Piece => ({ kind: "same", text })),
    ...between(left, right),
    ...a.slice(a.length - tail).map((text): Piece => ({ kind: "same", text })),
  ];
  const kept = out.reduce((n, p) => n + (p.kind === "same" ? p.text.trim().length : 0), 0);
  return kept * 4 < Math.min(before.length, after.length) ? undefined : joined(out);
}

function between(a: string[], b: string[]): Piece[] {
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] =
        a[i] === b[j]
          ? (length[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(length[(i + 1) * width + j] ?? 0, length[i * width + j + 1] ?? 0);
    }
  }
  const out: Piece[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: "same", text: a[i++] as string });
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && (length[(i + 1) * width + j] ?? 0) >= (length[i * width + j + 1] ?? 0))
    ) {
      out.push({ kind: "out", text: a[i++] as string });
    } else {
      out.push({ kind: "in", text: b[j++] as string });
    }
  }
  return out;
}

function joined(pieces: Piece[]): Piece[] {
  const out: Piece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    if (last?.kind === piece.kind) last.text += piece.text;
    else out.push({ ...piece });
  }
  return out;
}
