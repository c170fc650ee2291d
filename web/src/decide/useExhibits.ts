import { useCallback, useEffect, useMemo, useState } from "react";
import { useDeliverablePages } from "../api/deliverables";
import type { Approval, Deliverable } from "../api/types";
import { decidesFiles, filesFilter } from "./files";

/** Deliverables of a run that have not been accepted yet, decided together with the proposal. */
export interface Exhibits {
  items: Deliverable[];
  /** Whether the list has been loaded. */
  known: boolean;
  /** All of them are known and were drawn in full, or downloaded; nothing can be approved until then. */
  seen: boolean;
  /** How many are not fully drawn yet. */
  waiting: number;
  /** Whether one of them was drawn in full, or downloaded. */
  seenOf: (id: string) => boolean;
  /** Called when one of them can be read in full. */
  shown: (id: string) => void;
  /** Identifies the files shown, to notice a change. */
  face: string;
  error: Error | null;
  retry: () => void;
}

export function useExhibits(a: Approval): Exhibits {
  const asks = decidesFiles(a);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useDeliverablePages(
    filesFilter(a.run),
    asks,
  );
  useEffect(() => {
    if (asks && hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [asks, hasNextPage, isFetchingNextPage, error, fetchNextPage]);
  const items = useMemo(() => {
    const drafts = asks ? (data?.items ?? []).filter((d) => d.newest) : [];
    return drafts.sort((x, y) => rank(x.type) - rank(y.type));
  }, [asks, data]);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const shown = useCallback((id: string) => setSeen((now) => (now.has(id) ? now : new Set([...now, id]))), []);
  const known = !asks || (data !== undefined && !hasNextPage);
  const waiting = items.filter(({ id }) => !seen.has(id)).length;
  return {
    items,
    known,
    seen: known && waiting === 0,
    waiting,
    seenOf: (id) => seen.has(id),
    shown,
    face: items.map(({ id }) => id).join(),
    error: asks && !data ? error : null,
    retry: () => void refetch(),
  };
}

/** Documents and code before tables: they are the ones people read. */
const order = ["document", "code"];

function rank(type: string): number {
  return order.includes(type) ? order.indexOf(type) : order.length;
}
