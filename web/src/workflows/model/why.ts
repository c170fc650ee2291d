import { linesOf } from "./flow";

const mark = "# Why: ";

/** The text of a suggestion with the reasons for each step above it, as comments: they are part of the draft alone. */
export function withReasons(text: string, why: readonly { step: string; because: string }[]): string {
  const lines = text.split("\n");
  const steps = linesOf(text).filter((l) => l.kind === "step");
  for (const { id, from } of steps.toReversed()) {
    const because = why.find((w) => w.step === id)?.because ?? "";
    const reasons = because.split(/; |\n/).map((r) => r.trim());
    const indent = /^ */.exec(lines[from - 1] ?? "")?.[0] ?? "";
    lines.splice(from - 1, 0, ...reasons.filter(Boolean).map((reason) => `${indent}${mark}${reason}`));
  }
  return lines.join("\n");
}

/** The reasons above each step. */
export function reasonsIn(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  if (!text.includes(mark)) return found;
  const lines = text.split("\n");
  for (const { kind, id, from } of linesOf(text)) {
    if (kind !== "step") continue;
    const reasons: string[] = [];
    for (let i = from - 2; i >= 0; i--) {
      const line = lines[i]?.trim() ?? "";
      if (!line.startsWith(mark)) break;
      reasons.unshift(line.slice(mark.length));
    }
    if (reasons.length > 0) found.set(id, reasons);
  }
  return found;
}
