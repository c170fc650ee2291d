import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { runEventQuery, runStateQuery, useRunLog } from "../api";
import type { Event } from "../api/types";
import { useNavigate, useSearch } from "../router";
import { type Speed, stay } from "./player";

const settleMs = 200;

/** The position in the log. The URL follows once it stops changing: browsers limit how often it can be set. */
export function usePosition(last: number) {
  const search = useSearch();
  const navigate = useNavigate();
  const said = clamp(Number.parseInt(search.at ?? "", 10) || last, last);
  const [at, setAt] = useState(said);
  const told = useRef(search.at);
  const touched = useRef(false);
  useEffect(() => {
    // Without a position in the URL the newest event is followed, until the user moves elsewhere.
    if (search.at === told.current && (search.at !== undefined || touched.current)) return;
    told.current = search.at;
    touched.current = false;
    setAt(said);
  }, [search.at, said]);
  useEffect(() => {
    if (!touched.current || String(at) === told.current) return;
    const timer = setTimeout(() => {
      told.current = String(at);
      void navigate({ search: (before) => ({ ...before, at: String(at) }) }, { replace: true, still: true });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [at, navigate]);
  const go = useCallback(
    (seq: number) => {
      touched.current = true;
      setAt(clamp(seq, last));
    },
    [last],
  );
  return { at: clamp(at, last), go };
}

function clamp(seq: number, last: number): number {
  return Math.min(Math.max(1, seq), Math.max(1, last));
}

/** The events of the log. They load page by page; the position can already be anywhere. */
export function useLog(id: string, last: number) {
  const { data: events, error, isFetching, fetchNextPage, isError } = useRunLog(id);
  const read = events?.at(-1)?.seq ?? 0;
  useEffect(() => {
    if (events && read < last && !isFetching && !isError) void fetchNextPage({ cancelRefetch: false });
  }, [events, read, last, isFetching, isError, fetchNextPage]);
  const bySeq = useMemo(() => new Map((events ?? []).map((event) => [event.seq, event])), [events]);
  const complete = events !== undefined && read >= last;
  return useMemo(
    () => ({ events: events ?? none, bySeq, complete, error, again: fetchNextPage }),
    [events, bySeq, complete, error, fetchNextPage],
  );
}

const none: Event[] = [];

/** One event: from the log, or fetched by itself while the log is not loaded that far. */
export function useEvent(id: string, seq: number, bySeq: Map<number, Event>): Event | undefined {
  const known = bySeq.get(seq);
  const { data } = useQuery({ ...runEventQuery(id, seq), enabled: !known && seq > 0 });
  return known ?? data ?? undefined;
}

/**
 * The run as of a position. Only one state is requested at a time: while the user drags or plays fast, positions in
 * between are skipped and the latest comes next. The neighbours are prefetched.
 */
export function useStateAt(id: string, at: number, last: number) {
  const client = useQueryClient();
  const [asked, setAsked] = useState(at);
  const query = useQuery({ ...runStateQuery(id, asked), enabled: last > 0, placeholderData: keepPreviousData });
  const { isFetching } = query;
  useEffect(() => {
    if (at === asked) return;
    if (!isFetching || client.getQueryData(runStateQuery(id, at).queryKey)) setAsked(at);
  }, [at, asked, isFetching, client, id]);
  useEffect(() => {
    if (isFetching || at !== asked) return;
    for (const near of [at + 1, at - 1]) {
      if (near >= 1 && near <= last) void client.prefetchQuery(runStateQuery(id, near));
    }
  }, [at, asked, last, isFetching, client, id]);
  return {
    state: query.data,
    error: query.error,
    again: query.refetch,
    behind: query.isPlaceholderData || asked !== at,
  };
}

/** Moves from event to event at the original pace, or faster or slower. */
export function usePlayer(at: number, last: number, go: (seq: number) => void, bySeq: Map<number, Event>) {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  const [skipWaits, setSkipWaits] = useState(true);
  const ready = bySeq.has(at) && (at >= last || bySeq.has(at + 1));
  const gapMs = gap(bySeq.get(at), bySeq.get(at + 1));
  const delay = stay(gapMs, speed, skipWaits);
  useEffect(() => {
    if (!playing || !ready) return;
    if (at >= last) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => go(at + 1), delay);
    return () => clearTimeout(timer);
  }, [playing, ready, at, last, delay, go]);
  const toggle = () => {
    if (!playing && at >= last) go(1); // at the end, start over
    setPlaying(!playing);
  };
  const pause = useCallback(() => setPlaying(false), []);
  return { playing, toggle, pause, speed, setSpeed, skipWaits, setSkipWaits, delay };
}

function gap(from: Event | undefined, to: Event | undefined): number {
  return from && to ? Date.parse(to.at) - Date.parse(from.at) : 0;
}
