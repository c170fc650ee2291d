import type { Tree } from "../json";

// A user's unsent work on an approval. It survives a reload, a conflict and a visit to another page, until it is sent
// or discarded.

export interface Draft {
  /** The version of the approval it was started on. */
  version: number;
  /** The text of the proposal that was edited. */
  base: string;
  /** The edited proposal, or the data of a form. */
  edited?: Tree;
  /** The selected option. */
  option?: string;
  /** The note sent with the decision. */
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

/** Saves a draft; undefined or an empty one is removed. Full or forbidden storage is not a failure. */
export function saveDraft(id: string, draft: Draft | undefined): void {
  try {
    if (draft && (draft.edited || draft.option || draft.note))
      sessionStorage.setItem(prefix + id, JSON.stringify(draft));
    else sessionStorage.removeItem(prefix + id);
  } catch {
    // It is still in memory.
  }
}
