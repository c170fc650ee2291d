import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { approvalQuery, approvalsQuery } from "../api/approvals";
import { api, data } from "../api/client";
import { ApiError } from "../api/error";
import type { Approval, ApprovalFilter } from "../api/types";
import { useStands } from "../lib/later";
import { useLiveEvents, useLostSince } from "../live";
import { approvalOf, endings } from "../live/affects";
import { inGroups, worthGrouping } from "./groups";
import { type ReadPage, Rows } from "./rows";
import { groupsOn } from "./settings";

const newestMax = 50;
const changesMax = 200;
const readersMax = 6;

export interface InboxRows {
  /** Undefined before the first response. */
  rows: Rows | undefined;
  error: Error | undefined;
  /** The rows still belong to the previous filter. */
  stale: boolean;
  /** Arrived since the list was opened, newest first; at most 50. */
  arrivals: Approval[];
  /** More has changed than was tracked row by row. */
  outdated: boolean;
  /** The current number of pending approvals. */
  total: number | undefined;
  atLeast: boolean;
  /** Reloads the list. */
  refresh: () => void;
}

const readerOf =
  (filter: ApprovalFilter): ReadPage =>
  (cursor, limit, signal) =>
    data(
      api.GET("/api/v1/approvals", { params: { query: { ...filter, cursor: cursor || undefined, limit } }, signal }),
    );

/** Opens a list, in groups if they are enabled and useful. */
async function openRows(filter: ApprovalFilter, groups: boolean, stopped: () => boolean): Promise<Rows> {
  const rows = await new Rows(readerOf(filter)).open();
  rows.alike = worthGrouping(rows.loaded(), rows.total);
  if (!rows.alike || !groups || stopped()) return rows;
  const grouped = await new Rows(readerOf(inGroups(filter)), { page: 1000 }).open();
  grouped.alike = true;
  if (!grouped.whole) return rows; // more arrived in between
  rows.stop();
  return grouped;
}

const keyOf = (filter: ApprovalFilter, groups: boolean) => JSON.stringify([filter, groups]);

let prepared: { key: string; rows: Rows } | undefined;

/** Loads the list before the inbox is drawn, so that it is drawn once. The inbox retries failures and reports them. */
export async function prepareRows(filter: ApprovalFilter): Promise<void> {
  const groups = groupsOn();
  const rows = await openRows(filter, groups, () => false).catch(() => undefined);
  prepared = rows && { key: keyOf(filter, groups), rows };
}

function takePrepared(key: string) {
  const taken = prepared?.key === key ? { ...prepared, known: undefined } : undefined;
  prepared = undefined; // it is soon out of date
  return taken;
}

/** The rows of a filter: loaded as needed, kept in sync with the server, never moved while the user works (engaged). */
export function useInboxRows(filter: ApprovalFilter, groups: boolean, engaged: boolean): InboxRows {
  const client = useQueryClient();
  const key = keyOf(filter, groups);
  const [opened, setOpened] = useState<{ key: string; rows: Rows; known: Known | undefined } | undefined>(() =>
    takePrepared(key),
  );
  const begun = useRef(opened?.rows);
  const [error, setError] = useState<Error>();
  const [outdated, setOutdated] = useState(false);
  const [turn, setTurn] = useState(0);
  const rows = opened?.rows;
  useSyncExternalStore(
    useCallback((listener: () => void) => rows?.subscribe(listener) ?? (() => {}), [rows]),
    () => rows?.changes ?? -1,
  );

  const stands = useStands();
  // The newest of the filter: the live count, and arrivals since the list was opened. The list itself comes first.
  const newest = useQuery({
    ...approvalsQuery({ ...filter, sort: "newest", limit: newestMax }),
    enabled: stands && (rows !== undefined || error !== undefined),
  });
  const heads = newest.isPlaceholderData ? undefined : newest.data;
  const latest = useRef(heads);
  const first = useRef<{ rows: Rows; known: Known; behind: boolean }>(undefined);
  latest.current = heads;

  // biome-ignore lint/correctness/useExhaustiveDependencies: turn requests the same again
  useEffect(() => {
    if (begun.current) {
      begun.current = undefined; // the first time there is nothing to load
      return;
    }
    const known = latest.current && knownOf(latest.current.items);
    let timer: ReturnType<typeof setTimeout>;
    const open = () =>
      openRows(filter, groups, () => superseded).then(
        (next) => {
          if (superseded) return next.stop();
          // In pieces: drawing a list full of rows must not block user input.
          startTransition(() => {
            setError(undefined);
            setOutdated(false);
            setOpened((before) => {
              if (before && before.rows !== next) before.rows.stop();
              return { key, rows: next, known };
            });
          });
        },
        (e: Error) => {
          if (superseded) return;
          setError(e);
          if (!(e instanceof ApiError) || e.passing) timer = setTimeout(open, 3000);
        },
      );
    let superseded = false;
    void open();
    return () => {
      superseded = true;
      clearTimeout(timer);
    };
  }, [key, turn]);

  const refresh = useCallback(() => setTurn((n) => n + 1), []);
  useFollow(rows, client, () => setOutdated(true));

  // If the newest were not known yet when the list was opened, use the list itself if all of it is loaded, else the
  // first response. Approvals settled in between, before any event arrived, are still in the list.
  if (rows && heads && !opened?.known && first.current?.rows !== rows) {
    const known = knownOf(rows.whole ? rows.loaded() : heads.items);
    first.current = { rows, known, behind: heads.total < rows.total };
  }
  const begin = first.current?.rows === rows && !opened?.known ? first.current : undefined;
  const known = opened?.known ?? begin?.known;
  const arrivals = useMemo(
    () => (known && rows && heads ? heads.items.filter((a) => isNew(a, known) && !rows.knows(a.id)) : []),
    [known, rows, heads],
  );

  // The user is idle, so the list can simply be replaced.
  const moved = arrivals.length > 0 || outdated || begin?.behind === true;
  useEffect(() => {
    if (moved && !engaged) refresh();
  }, [moved, engaged, refresh]);

  return {
    rows,
    error: error ?? rows?.error,
    stale: opened !== undefined && opened.key !== key,
    arrivals,
    outdated,
    total: heads?.total,
    atLeast: heads?.total_is_lower_bound ?? false,
    refresh,
  };
}

/** The newest when the list was opened: the time of the latest request, and their ids. */
interface Known {
  at: number;
  ids: ReadonlySet<string>;
}

function knownOf(items: Approval[]): Known {
  const times = items.map((a) => Date.parse(a.requested_at));
  return { at: Math.max(0, ...times), ids: new Set(items.map((a) => a.id)) };
}

/** Requested since then. Several may be requested at the same moment, so the time alone is not enough. */
export function isNew(a: Approval, { at, ids }: Known): boolean {
  return Date.parse(a.requested_at) >= at && !ids.has(a.id);
}

/** Reloads rows on events, and applies other updates to them. */
function useFollow(rows: Rows | undefined, client: ReturnType<typeof useQueryClient>, tooMuch: () => void): void {
  const queue = useRef(new Set<string>());
  const readers = useRef(0);
  const told = useRef(tooMuch);
  told.current = tooMuch;
  const lost = useLostSince() !== undefined;

  const work = useCallback(async () => {
    if (readers.current >= readersMax) return;
    readers.current++;
    try {
      for (const id of queue.current) {
        queue.current.delete(id);
        // If this fails, deciding will reveal it; the row stays unchanged.
        await client.fetchQuery({ ...approvalQuery(id), staleTime: 0, retry: false }).catch(() => undefined);
      }
    } finally {
      readers.current--;
    }
  }, [client]);
  const add = (ids: string[]) => {
    if (queue.current.size + ids.length > changesMax) {
      queue.current.clear();
      tooMuch();
      return;
    }
    for (const id of ids) {
      queue.current.add(id);
      void work();
    }
  };

  useLiveEvents((event) => {
    if (!rows) return;
    const id = event.type.startsWith("approval.") ? approvalOf(event) : undefined;
    if (id && rows.knows(id)) add([id]);
    // A run that ends settles its approvals; a file that it creates is decided with them.
    if (endings.has(event.type) || event.type.startsWith("deliverable."))
      add(rows.loaded().flatMap((row) => (row.run === event.run ? [row.id] : [])));
  });

  // After a gap anything may have happened.
  const wasLost = useRef(false);
  useEffect(() => {
    if (!lost && wasLost.current) told.current();
    wasLost.current = lost;
  }, [lost]);

  useLayoutEffect(() => {
    if (!rows) return;
    return client.getQueryCache().subscribe((event) => {
      const [subject, one] = event.query.queryKey;
      if (event.type !== "updated" || subject !== "approvals" || one !== "one") return;
      const approval = event.query.state.data as Approval | undefined;
      if (!approval?.id) return;
      rows.patch(approval);
      // The row that represented a group is settled: another has to.
      if (approval.status !== "pending" && rows.get(approval.id)?.alike) told.current();
    });
  }, [rows, client]);
}
