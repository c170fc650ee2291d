import type { Fork, Run } from "../api/types";
import { CannotPatch, compact, mergePatch, pretty, type Raw, raw, treeOf } from "../json";

/** The user's edits of the past state: as text, by part. Parts that were not opened are missing. */
export interface Drafts {
  input?: string;
  context?: string;
  outputs: Record<string, string>;
}

export interface Made {
  edits?: Fork["edits"];
  /** Errors by part ("input", "context", or the step's id). */
  errors: Record<string, string>;
  count: number;
}

export function textOfValue(value: Raw | null): string {
  return pretty(treeOf(value));
}

/** The drafts that differ from the past state; unchanged ones are left out. */
export function editsOf(drafts: Drafts, state: Run): Made {
  const errors: Record<string, string> = {};
  const edits: NonNullable<Fork["edits"]> = {};
  let count = 0;
  const read = (part: string, text: string, before: Raw | null, take: (after: Raw) => void) => {
    try {
      const after = raw(text);
      if (compact(treeOf(after)) === compact(treeOf(before))) return;
      take(after);
      count++;
    } catch (error) {
      errors[part] = error instanceof CannotPatch ? error.message : "Not valid JSON.";
    }
  };
  const { input, context, outputs } = drafts;
  if (input !== undefined) read("input", input, state.input, (after) => (edits.input = after));
  if (context !== undefined) {
    read("context", context, state.context, (after) => {
      if (!after.$json.startsWith("{")) throw new CannotPatch("the context");
      edits.context = mergePatch(state.context, after) ?? null;
    });
  }
  for (const [step, text] of Object.entries(outputs)) {
    const before = state.steps.find((s) => s.id === step)?.output ?? null;
    read(step, text, before, (after) => (edits.outputs = { ...edits.outputs, [step]: after }));
  }
  return { edits: count > 0 ? edits : undefined, errors, count };
}
