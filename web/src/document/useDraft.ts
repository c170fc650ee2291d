import { useState } from "react";
import type { Raw } from "../json";

/** A document in force, as the page has it. */
export interface InForce {
  yaml: string;
  version: number;
  definition: Raw | null;
  by: string;
  at: string;
}

interface State {
  /** The document that the changes were made to; undefined: there was none. */
  base: InForce | undefined;
  text: string;
}

export interface Draft {
  text: string;
  set: (change: (text: string) => string) => void;
  base: InForce | undefined;
  dirty: boolean;
  /** Someone else saved another version, or deleted it, since the changes began. */
  overtaken: boolean;
  /** Continues from the document in force now, with this text. */
  rebase: (text: string) => void;
}

/** The text of a document that is edited while others may save it. */
export function useDraft(inForce: InForce | undefined, template: string): Draft {
  const [state, setState] = useState<State>(() => ({ base: inForce, text: inForce?.yaml ?? template }));
  const { base, text } = state;
  const moved = base?.version !== inForce?.version || base?.yaml !== inForce?.yaml;
  const dirty = text !== (base?.yaml ?? template);
  // Without changes of one's own, or with the same ones, the dialog shows the document in force; so it does if only its
  // number is new, as after a restore.
  const follows = inForce && base && (!dirty || text === inForce.yaml);
  if (moved && follows) setState({ base: inForce, text: inForce.yaml });
  else if (moved && inForce && base?.yaml === inForce.yaml) setState({ base: inForce, text });
  return {
    text,
    set: (change) => setState((now) => ({ ...now, text: change(now.text) })),
    base,
    dirty,
    overtaken: base !== undefined && moved && !follows && base.yaml !== inForce?.yaml,
    rebase: (to) => setState({ base: inForce, text: to }),
  };
}
