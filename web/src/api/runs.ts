import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, attempt, data } from "./client";
import { keys } from "./queries";
import type { components } from "./schema";
import type { CancelRequest, Command, Event, NewRun, RunFilter } from "./types";

type Fork = components["schemas"]["Fork"];
type Resume = components["schemas"]["Resume"];

export function runsQuery(filter: RunFilter) {
  return queryOptions({
    queryKey: keys.runList(filter),
    queryFn: ({ signal }) => data(api.GET("/api/v1/runs", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** One page of runs. */
export function useRuns(filter: RunFilter) {
  return useQuery(runsQuery(filter));
}

/** All runs of a filter, page by page. */
export function useRunPages(filter: Omit<RunFilter, "cursor">) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: keys.runPages(filter),
      queryFn: ({ pageParam, signal }) =>
        data(api.GET("/api/v1/runs", { params: { query: { ...filter, cursor: pageParam || undefined } }, signal })),
      initialPageParam: "",
      getNextPageParam: (last) => last.next_cursor || undefined,
      placeholderData: keepPreviousData,
      select: ({ pages }) => ({
        items: pages.flatMap((page) => page.items),
        total: pages[0]?.total ?? 0,
        totalIsLowerBound: pages[0]?.total_is_lower_bound ?? false,
      }),
    }),
  );
}

export function runQuery(id: string) {
  return queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => data(api.GET("/api/v1/runs/{id}", { params: { path: { id } }, signal })),
  });
}

/** One run with its steps. */
export function useRun(id: string) {
  return useQuery(runQuery(id));
}

const eventPage = 1000;

/** All events of a run, oldest first. */
export async function getRunEvents(id: string): Promise<Event[]> {
  const out: Event[] = [];
  for (let after = 0; ; ) {
    const page = await data(
      api.GET("/api/v1/runs/{id}/events", { params: { path: { id }, query: { after, limit: eventPage } } }),
    );
    out.push(...page.items);
    const last = page.items.at(-1);
    if (!last || !page.next_cursor) return out;
    after = last.seq;
  }
}

/** All events of a run, oldest first. Later fetches read only new ones. */
export function useRunEvents(id: string) {
  const client = useQueryClient();
  return useQuery({
    queryKey: keys.runEvents(id),
    queryFn: async ({ signal }) => {
      const known = client.getQueryData<Event[]>(keys.runEvents(id)) ?? [];
      const out = [...known];
      for (let after = out.at(-1)?.seq ?? 0; ; ) {
        const page = await data(
          api.GET("/api/v1/runs/{id}/events", { params: { path: { id }, query: { after, limit: eventPage } }, signal }),
        );
        out.push(...page.items);
        const last = page.items.at(-1);
        if (!last || !page.next_cursor) return out;
        after = last.seq;
      }
    },
    structuralSharing: false, // thousands of events, immutable once read
  });
}

/** A step with its attempts and tool calls, now or as of an event. Values over 64 KiB come in full only with full. */
export function useStepDetail(id: string, step: string | undefined, atSeq?: number, full = false) {
  return useQuery({
    queryKey: [...keys.runStep(id, step ?? "", atSeq), full],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/runs/{id}/steps/{step}", {
          params: { path: { id, step: step ?? "" }, query: { at_seq: atSeq, full } },
          signal,
        }),
      ),
    enabled: step !== undefined,
    staleTime: atSeq === undefined ? undefined : Number.POSITIVE_INFINITY,
  });
}

/** The run as of an event. Cached briefly: a long log has as many states as events. */
export function runStateQuery(id: string, atSeq: number, full = false) {
  return queryOptions({
    queryKey: [...keys.runState(id, atSeq), full],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/runs/{id}/state", { params: { path: { id }, query: { at_seq: atSeq, full } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

/** One event of a run. */
export function runEventQuery(id: string, seq: number) {
  return queryOptions({
    queryKey: [...keys.runLog(id), seq],
    queryFn: async ({ signal }) => {
      const page = await data(
        api.GET("/api/v1/runs/{id}/events", { params: { path: { id }, query: { after: seq - 1, limit: 1 } }, signal }),
      );
      return page.items[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Defined outside the hook, so that it runs when pages arrive and not on every render. */
function allEvents({ pages }: { pages: { items: Event[] }[] }): Event[] {
  return pages.flatMap((page) => page.items);
}

/** The events of a run in pages, oldest first; fetchNextPage reads the events after the last one. */
export function useRunLog(id: string) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: keys.runLog(id),
      queryFn: ({ pageParam, signal }) =>
        data(
          api.GET("/api/v1/runs/{id}/events", {
            params: { path: { id }, query: { after: pageParam, limit: eventPage } },
            signal,
          }),
        ),
      initialPageParam: 0,
      getNextPageParam: (last, _pages, after) => last.items.at(-1)?.seq ?? after,
      staleTime: Number.POSITIVE_INFINITY,
      structuralSharing: false, // thousands of events, immutable once read
      select: allEvents,
    }),
  );
}

/** The run as of the event at_seq; it never changes. */
export function useRunState(id: string, atSeq: number | undefined) {
  return useQuery({
    queryKey: keys.runState(id, atSeq ?? -1),
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/runs/{id}/state", { params: { path: { id }, query: { at_seq: atSeq } }, signal })),
    enabled: atSeq !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
}

export function useStartRun() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (run: NewRun) => data(api.POST("/api/v1/runs", { params: { header: attempt(run) }, body: run })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runLists }),
  });
}

/** Cancel, pause, resume, message and the other commands. */
export function useCommand(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["command", id],
    mutationFn: (command: Command) =>
      data(
        api.POST("/api/v1/runs/{id}/commands", { params: { path: { id }, header: attempt(command) }, body: command }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.run(id) }),
  });
}

/** Cancels many runs, at most 1,000 at a time; with just_count it only reports how many would be cancelled. */
export function useCancelRuns() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (request: CancelRequest) =>
      data(api.POST("/api/v1/runs/cancel", { params: { header: attempt(request) }, body: request })),
    onSettled: (_answer, _error, request) =>
      request.just_count ? undefined : client.invalidateQueries({ queryKey: keys.runLists }),
  });
}

/** A new run with the same input. */
export function useRetryRun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (variables: object) =>
      data(api.POST("/api/v1/runs/{id}/retry", { params: { path: { id }, header: attempt(variables) }, body: {} })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** Resumes a run from its last good state after a failure, or after a limit was raised. */
export function useResumeRun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (resume: Resume) =>
      data(api.POST("/api/v1/runs/{id}/resume", { params: { path: { id }, header: attempt(resume) }, body: resume })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** A new run that starts from the state of this one after an event. */
export function useForkRun(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (fork: Fork) =>
      data(api.POST("/api/v1/runs/{id}/fork", { params: { path: { id }, header: attempt(fork) }, body: fork })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** The snapshots of a run, oldest first, page by page. */
export function useSnapshots(id: string) {
  return useInfiniteQuery({
    queryKey: keys.runSnapshots(id),
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET("/api/v1/runs/{id}/snapshots", {
          params: { path: { id }, query: { cursor: pageParam || undefined } },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
}
