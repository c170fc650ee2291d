// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { extendTailwindMerge } from "tailwind-merge";
import { expect, it } from "vitest";
import { kindOf, merge, split } from "./merge";

const library = extendTailwindMerge({
  // Our own sizes have to be known, or it would take them for colours.
  extend: {
    theme: { text: ["meta", "small", "control", "body", "lead", "heading", "number"], shadow: ["overlay"] },
  },
});

/** All words of the sources that the library takes for a class. */
function classes(): string[] {
  const src = fileURLToPath(new URL("../", import.meta.url));
  const words = new Set<string>();
  for (const name of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(name) || /\.test\.|schema\.d\.ts|lib.merge\.ts/.test(name)) continue;
    for (const [, text = ""] of readFileSync(src + name, "utf8").matchAll(/["`]([^"`\n]*)["`]/g)) {
      for (const word of text.split(/\s+/)) if (word && library(`${word} ${word}`) === word) words.add(word);
    }
  }
  return [...words];
}

it("keeps and drops what the library would", () => {
  const all = classes();
  expect(all.length).toBeGreaterThan(300);
  // One of each kind, under the same conditions; what has no kind stands for itself.
  const kinds = new Map<string, string>();
  for (const one of all) {
    const [conditions, name] = split(one);
    const kind = kindOf(name) ?? one;
    if (!kinds.has(conditions + kind)) kinds.set(conditions + kind, one);
  }
  const wrong: string[] = [];
  const compare = (pair: string) => {
    if (merge(pair) !== library(pair)) wrong.push(`${pair}: ${merge(pair)}, expected ${library(pair)}`);
  };
  for (const one of all) {
    const [conditions, name] = split(one);
    compare(`${one} ${one}`);
    for (const [key, other] of kinds) {
      if (!key.startsWith(conditions) && name.length % 7) continue; // other conditions: some are enough
      compare(`${one} ${other}`);
      compare(`${other} ${one}`);
    }
  }
  expect(wrong).toEqual([]);
});

it("leaves what is no class of Tailwind, and the order", () => {
  expect(merge("motion-fade  own px-2 reach p-4 own2")).toBe("motion-fade own reach p-4 own2");
  expect(merge("")).toBe("");
});
