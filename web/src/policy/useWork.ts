import { useCallback, useEffect, useState } from "react";

const place = "assent.policy.work";
const most = 100;

interface Kept {
  /** The policy in force when the work began, and its number. */
  base: string;
  version: number;
  text: string;
}

interface State extends Kept {
  past: string[];
  future: string[];
  /** Changes of the same kind in a row are one step: a slider that moves. */
  kind: string;
}

function kept(): Kept | undefined {
  try {
    const read = JSON.parse(sessionStorage.getItem(place) ?? "null") as Partial<Kept> | null;
    return typeof read?.base === "string" && typeof read.text === "string" && typeof read.version === "number"
      ? (read as Kept)
      : undefined;
  } catch {
    return undefined;
  }
}

function keep(state: Kept | undefined): void {
  try {
    if (state && state.text !== state.base) sessionStorage.setItem(place, JSON.stringify(state));
    else sessionStorage.removeItem(place);
  } catch {
    // A full or forbidden storage: the work lasts as long as the page.
  }
}

export interface Work {
  text: string;
  /** The policy in force when the work began. */
  base: string;
  /** Its number: nothing else is overwritten by publishing. */
  version: number;
  dirty: boolean;
  /** The policy in force has changed since the work began. */
  overtaken: boolean;
  set: (text: string, kind?: string) => void;
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
  /** Discards the changes. */
  reset: () => void;
  /** Continues from the policy in force now, with this text. */
  rebase: (text: string) => void;
  /** The text was published: the page shows the policy in force again. */
  published: (version: number) => void;
}

/** The text being edited, with one history for all views. It survives a reload of the page, not the browser's end. */
export function useWork(inForce: string, version: number): Work {
  const [state, setState] = useState<State>(() => {
    const found = kept();
    return { past: [], future: [], kind: "", ...(found ?? { base: inForce, version, text: inForce }) };
  });
  const dirty = state.text !== state.base;
  // Without changes of one's own, the page shows the policy in force. So it does when one's own text is in force: that
  // is often heard before the answer to its publication.
  if ((!dirty || state.text === inForce) && (state.base !== inForce || state.version !== version))
    setState({ past: [], future: [], kind: "", base: inForce, version, text: inForce });
  // The same rules under another number: they were published again, or restored.
  else if (dirty && state.base === inForce && state.version !== version) setState({ ...state, version });
  useEffect(
    () => keep({ base: state.base, version: state.version, text: state.text }),
    [state.base, state.version, state.text],
  );
  const set = useCallback((text: string, kind = "") => {
    setState((now) => {
      if (text === now.text) return now;
      if (kind !== "" && kind === now.kind) return { ...now, text, future: [] };
      return { ...now, kind, text, past: [...now.past, now.text].slice(-most), future: [] };
    });
  }, []);
  const undo = () =>
    setState((now) => {
      const text = now.past.at(-1);
      if (text === undefined) return now;
      return { ...now, kind: "", text, past: now.past.slice(0, -1), future: [now.text, ...now.future] };
    });
  const redo = () =>
    setState((now) => {
      const [text, ...future] = now.future;
      return text === undefined ? now : { ...now, kind: "", text, past: [...now.past, now.text], future };
    });
  return {
    text: state.text,
    base: state.base,
    version: state.version,
    dirty,
    overtaken: dirty && state.base !== inForce,
    set,
    undo: state.past.length > 0 ? undo : undefined,
    redo: state.future.length > 0 ? redo : undefined,
    reset: () => setState((now) => ({ ...now, kind: "", base: inForce, version, text: inForce, ...history(now) })),
    rebase: (text) => setState((now) => ({ ...now, kind: "", base: inForce, version, text, ...history(now) })),
    published: (version) => setState((now) => ({ ...now, past: [], future: [], kind: "", base: now.text, version })),
  };
}

/** A step that can be undone. */
const history = (now: State) => ({ past: [...now.past, now.text].slice(-most), future: [] });
