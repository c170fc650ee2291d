import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Texts of workflows for tests: those of this repository, and made ones.

const root = join(import.meta.dirname, "../../../..");

/** Every workflow of the examples and templates, each with its comments. */
export const files = ["examples", "templates"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) =>
      readFileSync(join(root, folder, name), "utf8")
        .split(/^---[ \t]*\n/m)
        .filter((text) => /^workflow:/m.test(text) && /^steps:/m.test(text))
        .map((text) => ({ name: `${folder}/${name}`, text })),
    ),
);

/** A source of choices that is the same in every run. */
export function choices(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    one: <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T,
    chance: (p: number) => next() < p,
  };
}

/** A workflow as people might write it. */
export function written(seed: number): string {
  const { one, chance } = choices(seed);
  const count = one([1, 2, 3, 5, 8]);
  const lines = chance(0.5) ? ["# Made up", ""] : [];
  lines.push(`workflow: made-${seed}${chance(0.3) ? "   # its name" : ""}`);
  if (chance(0.5)) lines.push('description: "quoted: text"');
  if (chance(0.5)) lines.push("input:", "  type: object", "  properties: { amount: { type: number } }  # one field");
  const indent = one(["", "  ", "    "]);
  const steps: string[] = [];
  for (let i = 0; i < count; i++) {
    const needs = i > 1 && chance(0.5) ? `needs: [s${i - 2}]` : "";
    if (chance(0.4)) {
      const mapped = chance(0.4) ? ", with: { x: input.amount }" : "";
      const rest = one(["", ", timeout: 3m", ', title: "Größe: {x}"', ", retry: { max: 2, backoff: 1s }"]);
      steps.push(`${indent}- { id: s${i}, agent: a${i}${needs ? `, ${needs}` : ""}${mapped}${rest} }`);
      if (chance(0.2)) steps[steps.length - 1] += one(["  # in one line", "\t# after a tab"]);
    } else if (chance(0.15)) {
      // In braces over several lines.
      steps.push(`${indent}- { id: s${i}, # which`, `${indent}    agent: a${i}, # who`);
      if (needs) steps.push(`${indent}    ${needs},`);
      steps.push(`${indent}    risk: low }`);
    } else {
      const quote = one(["", "", "", '"', "'"]);
      const key = (name: string) => `${quote}${name}${quote}`;
      const first = chance(0.3) ? "       # first" : "";
      steps.push(`${indent}- ${key("id")}: s${i}${first}`);
      if (chance(0.15))
        steps.push(`${indent}  human:`, `${indent}    title: Is “s${i}” done?   # asked`, `${indent}    role: lead`);
      else steps.push(`${indent}  ${key(one(["agent", "agent", "tool"]))}: a${i}`);
      if (needs) steps.push(`${indent}  ${needs}${chance(0.4) ? " # after that" : ""}`);
      if (chance(0.4))
        steps.push(`${indent}  with:`, `${indent}    x: input.amount   # the amount`, `${indent}    y: '"quoted"'`);
      if (chance(0.2))
        steps.push(`${indent}  title: ${one(["|", ">-", "|+"])}`, `${indent}    two`, `${indent}    lines`);
      if (chance(0.2)) steps.push(`${indent}  if: input.amount > 3`);
      if (chance(0.2)) steps.push(`${indent}  timeout: ${one(["3m", "'3m'", '"3m"'])}${chance(0.5) ? " # old" : ""}`);
      if (chance(0.2)) steps.push(`${indent}  retry:`, `${indent}    # often`, `${indent}    max: 3`);
    }
    if (chance(0.3)) steps.push(chance(0.5) ? "" : `${indent}# between`);
  }
  lines.push("steps:", ...steps);
  if (chance(0.6)) {
    lines.push("gates:");
    if (chance(0.5)) lines.push(`${indent}- { id: g, at: before s0, title: Look }`);
    else
      lines.push(
        `${indent}- id: g # the only one`,
        `${indent}  at: after s${count - 1}`,
        `${indent}  timeout: { after: 4h, then: reject }`,
      );
  }
  if (chance(0.3)) lines.push("labels: { team: x }   # last");
  return lines.join("\n") + (chance(0.8) ? "\n" : "");
}

/** The lines that are only in one of two texts. */
export function difference(before: string, after: string): { gone: string[]; come: string[] } {
  const left = after.split("\n");
  const gone = before.split("\n").filter((line) => {
    const i = left.indexOf(line);
    if (i < 0) return true;
    left.splice(i, 1);
    return false;
  });
  return { gone, come: left };
}
