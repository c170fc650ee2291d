import { type RefObject, useEffect, useState } from "react";
import type { ListHandle } from "./List";
import type { Rows } from "./rows";

export interface Cursor {
  index: number;
  /** Undefined while the row is loading, or without a cursor. */
  id: string | undefined;
  /** Moved by keyboard, so the focus follows. */
  focus: boolean;
  move: (by: number) => void;
  set: (id: string, focus?: boolean) => void;
  clear: () => void;
}

/** The current row. The cursor stays with its row when others are removed, and in its place when its own is. */
export function useCursor(
  rows: Rows | undefined,
  list: RefObject<ListHandle | null>,
  first?: { id: string; index: number },
): Cursor {
  const [at, setAt] = useState<{ index: number; id?: string; focus: boolean } | undefined>(
    first && { ...first, focus: true },
  );
  let index = at?.index ?? -1;
  let id = at?.id;
  if (rows && at) {
    const found = id === undefined ? -1 : rows.indexOf(id);
    if (found >= 0) index = found;
    else {
      index = Math.min(index, rows.length - 1);
      id = index >= 0 ? rows.at(index)?.id : undefined;
    }
  }
  useEffect(() => {
    if (at && (at.index !== index || at.id !== id)) setAt(index < 0 ? undefined : { index, id, focus: at.focus });
  });
  const go = (to: number, focus: boolean) => {
    setAt({ index: to, id: rows?.at(to)?.id, focus });
    list.current?.show(to);
  };
  return {
    index,
    id: index < 0 ? undefined : id,
    focus: at?.focus ?? false,
    move: (by) => {
      if (!rows || rows.length === 0) return;
      go(Math.min(rows.length - 1, Math.max(0, index < 0 ? 0 : index + by)), true);
    },
    set: (next, focus = false) => {
      const to = rows?.indexOf(next) ?? -1;
      if (to >= 0) go(to, focus);
    },
    clear: () => setAt(undefined),
  };
}
