import { NotEditable } from "../../yaml/splice";
import type { Content } from "./content";
import { merge } from "./merge";

/** One change of mine. */
interface Change {
  before: Content;
  after: Content;
  /** In words: "Add Ticket analyzer". */
  label: string;
}

/** One history for all views. */
export interface History {
  past: readonly Change[];
  content: Content;
  future: readonly Change[];
  /** The field that was edited last: further changes of it are the same step. */
  field?: string;
}

const pastMax = 500;

export const begin = (content: Content): History => ({ past: [], content, future: [] });

/** Adds a change. Changes of the same field in a row are undone together. */
export function record(history: History, change: Partial<Content>, label: string, field?: string): History {
  const { past, content: before } = history;
  const content = { ...before, ...change };
  const same = content.yaml === before.yaml && content.layout === before.layout && content.samples === before.samples;
  if (same) return history;
  const last = past.at(-1);
  const goesOn = field !== undefined && field === history.field && last;
  const now: Change = { before: goesOn ? last.before : before, after: content, label };
  return { past: [...(goesOn ? past.slice(0, -1) : past), now].slice(-pastMax), content, future: [], field };
}

/** Changes of other people since then stay: only what my change did is taken back. */
export function undo(history: History): History {
  const last = history.past.at(-1);
  if (!last) return history;
  const content = step(last.after, history.content, last.before);
  return { past: history.past.slice(0, -1), content, future: [last, ...history.future] };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (!next) return history;
  return { past: [...history.past, next], content: step(next.before, history.content, next.after), future };
}

/** Does to the content what leads from one to the other. What has changed otherwise since stays as it is. */
function step(from: Content, content: Content, to: Content): Content {
  if (content === from) return to;
  try {
    return merge(from, content, to).content;
  } catch (error) {
    if (error instanceof NotEditable) return content;
    throw error;
  }
}

/** Takes over the content merged with another person's changes. They are not mine to undo. */
export const rebase = (history: History, content: Content): History => ({ ...history, content, field: undefined });
