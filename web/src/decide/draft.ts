import type { Tree } from "../json";

// What somebody has begun to write about an approval. It survives a reload, a
// conflict and a look at another page, until it is sent or thrown away.

export interface Draft {
  /** The version of the approval that it was begun on. */
  version: number;
  /** The text of the proposal that was edited. */
  base: string;
  /** The edited proposal, or the data of a form. */
  edited?: Tree;
  /** The chosen option. */
  option?: string;
  /** What is said with the decision. */
  note?: string;
}

const prefix = "assent.draft.";

export function loadDraft(id: string): Draft | undefined {
  try {
    const text = sessionStorage.getItem(prefix + id);
    const draft = text === null ? undefined : (JSON.parse(text) as Draft);
    return draft && typeof draft.version === "number" && typeof draft.base === "string" ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft; undefined, or one with nothing in it, is forgotten. Storage that is full or forbidden is no failure. */
export function saveDraft(id: string, draft: Draft | undefined): void {
  try {
    if (draft && (draft.edited || draft.option || draft.note))
      sessionStorage.setItem(prefix + id, JSON.stringify(draft));
    else sessionStorage.removeItem(prefix + id);
  } catch {
    // It is still in memory.
  }
}
