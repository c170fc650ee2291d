import { type RefObject, useEffect, useRef } from "react";
import type { Decisions } from "../lib/decisions";
import type { ListHandle } from "./List";
import type { Rows } from "./rows";

/** How long a settled row stays readable before it is removed. Tests that read it keep it longer. */
export const readable = { ownMs: 1200, othersMs: 4000 };

/** Removes settled rows after a while, but never the one being viewed. */
export function useSettling(
  rows: Rows | undefined,
  decisions: Decisions,
  list: RefObject<ListHandle | null>,
  cursor: string | undefined,
  onGone: (ids: string[]) => void,
): void {
  const since = useRef(new Map<string, number>());
  const gone = useRef(onGone);
  const changes = rows?.changes;
  useEffect(() => {
    gone.current = onGone;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again whenever a row or the cursor changes
  useEffect(() => {
    if (!rows) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const sweep = () => {
      const now = Date.now();
      const ready: string[] = [];
      let next = Number.POSITIVE_INFINITY;
      for (const row of rows.loaded()) {
        if (row.status === "pending") continue;
        const from = since.current.get(row.id) ?? now;
        since.current.set(row.id, from);
        if (row.id === cursor) continue;
        const left = from + (decisions.get(row.id)?.phase === "done" ? readable.ownMs : readable.othersMs) - now;
        if (left <= 0) ready.push(row.id);
        else next = Math.min(next, left);
      }
      if (ready.length > 0) {
        list.current?.anchor(ready.map((id) => rows.indexOf(id)));
        for (const id of ready) {
          since.current.delete(id);
          rows.remove(id);
          decisions.forget(id);
        }
        gone.current(ready);
      }
      if (next < Number.POSITIVE_INFINITY) timer = setTimeout(sweep, next);
    };
    sweep();
    return () => clearTimeout(timer);
  }, [rows, changes, cursor, decisions, list]);
}
