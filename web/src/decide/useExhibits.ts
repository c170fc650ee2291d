import { useCallback, useEffect, useMemo, useState } from "react";
import { useDeliverablePages } from "../api/deliverables";
import type { Approval, Deliverable } from "../api/types";

/** What a run has made and nobody has accepted yet: it is decided on together with the proposal. */
export interface Exhibits {
  items: Deliverable[];
  /** It is known which ones there are. */
  known: boolean;
  /** All of them are known and were wholly drawn, or downloaded: until then nothing is approved. */
  seen: boolean;
  /** How many of them are not wholly there yet. */
  waiting: number;
  /** Whether one of them was wholly drawn, or downloaded. */
  seenOf: (id: string) => boolean;
  /** One of them is all there to be read. */
  shown: (id: string) => void;
  /** Names what is shown, to notice that it became something else. */
  face: string;
  error: Error | null;
  retry: () => void;
}

export function useExhibits(a: Approval): Exhibits {
  const asks = a.kind === "approval" && a.action.type !== "run" && a.action.type !== "limit";
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useDeliverablePages(
    { run: a.run, status: "draft", limit: 100 },
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

/** Documents and changes before tables: they are what is read. */
const order = ["document", "code"];

function rank(type: string): number {
  return order.includes(type) ? order.indexOf(type) : order.length;
}
