import type { Point } from "./place";

/** What people edit: the text, and beside it where steps are drawn and inputs to try it with. */
export interface Content {
  yaml: string;
  layout: Readonly<Record<string, Point>>;
  samples: readonly Sample[];
}

export interface Sample {
  name: string;
  /** JSON, as it was typed. */
  input: string;
}

interface Entry {
  content: Content;
  /** What led to it, in words: "Add Ticket analyzer". */
  label: string;
}

/** One history for all views. */
export interface History {
  past: readonly Entry[];
  now: Entry;
  future: readonly Entry[];
  /** The field that was edited last: further changes of it are the same step. */
  field?: string;
}

const pastMax = 500;

export const begin = (content: Content): History => ({ past: [], now: { content, label: "" }, future: [] });

/** Adds a change. Changes of the same field in a row are undone together. */
export function record(history: History, change: Partial<Content>, label: string, field?: string): History {
  const content = { ...history.now.content, ...change };
  const same =
    content.yaml === history.now.content.yaml &&
    content.layout === history.now.content.layout &&
    content.samples === history.now.content.samples;
  if (same) return history;
  const now = { content, label };
  if (field !== undefined && field === history.field && history.past.length > 0) return { ...history, now, future: [] };
  return { past: [...history.past, history.now].slice(-pastMax), now, future: [], field };
}

export function undo(history: History): History {
  const before = history.past.at(-1);
  if (!before) return history;
  return { past: history.past.slice(0, -1), now: before, future: [history.now, ...history.future] };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  return next ? { past: [...history.past, history.now], now: next, future } : history;
}

/** Replaces the content by one merged with another person's changes. Earlier states can still be reached. */
export function rebase(history: History, content: Content): History {
  return { ...record(history, content, "Merge changes"), field: undefined };
}
