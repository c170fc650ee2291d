import {
  keepPreviousData,
  notifyManager,
  type QueryClient,
  QueryObserver,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { api, data } from "./client";
import { everyPage } from "./every";
import { keys } from "./queries";

export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => data(api.GET("/api/v1/me", { signal })),
  staleTime: 300_000,
});

const observed = new WeakMap<QueryClient, ReturnType<typeof observe>>();

function observe(client: QueryClient) {
  const observer = new QueryObserver(client, { ...meQuery, notifyOnChangeProps: ["data"] });
  return {
    observer,
    data: () => observer.getCurrentResult().data,
    subscribe: (listener: () => void) => {
      const stop = observer.subscribe(notifyManager.batchCalls(listener));
      const { isStale, isFetching } = observer.getCurrentResult();
      if (isStale && !isFetching) void observer.refetch();
      return stop;
    },
  };
}

/**
 * The current user: the name and roles under which decisions are recorded. Dozens of components ask for it, so they
 * share one observer: each has timers of its own.
 */
export function useMe() {
  const client = useQueryClient();
  let me = observed.get(client);
  if (me?.observer.getCurrentQuery() !== client.getQueryCache().find(meQuery)) me = undefined; // the cache was cleared
  me ??= observe(client);
  observed.set(client, me);
  return { data: useSyncExternalStore(me.subscribe, me.data) };
}

/** Pages offer actions by permission; the server enforces them. */
export type Permission = "view" | "start" | "command" | "approve" | "comment" | "audit" | "admin";

/** Whether the user has a permission anywhere. Until that is known, nothing is hidden. */
export function useMay(): (permission: Permission) => boolean {
  const { data: me } = useMe();
  return (permission) => !me || me.permissions.includes(permission);
}

/** Whether the user is known to have access to definitions. Requests that would be forbidden are not sent. */
export function useSeesDefinitions(): boolean {
  const { data: me } = useMe();
  return me?.permissions.includes("view") ?? false;
}

export function useWorkflows(enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.documents("workflows"),
    queryFn: ({ signal }) =>
      everyPage((page) =>
        data(api.GET("/api/v1/workflows", { params: { query: { ...page, status: "published" } }, signal })),
      ),
  });
}

export function useWorkflow(name: string) {
  return useQuery({
    queryKey: keys.document("workflows", name),
    queryFn: ({ signal }) => data(api.GET("/api/v1/workflows/{name}", { params: { path: { name } }, signal })),
  });
}

/** One version of a workflow; versions are immutable. */
export function useWorkflowVersion(name: string | undefined, version: number | undefined) {
  return useQuery({
    queryKey: [...keys.document("workflows", name ?? ""), version],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/workflows/{name}/versions/{n}", {
          params: { path: { name: name ?? "", n: version ?? 0 } },
          signal,
        }),
      ),
    enabled: useSeesDefinitions() && !!name && !!version,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function useAgents(enabled = true) {
  return useQuery({
    enabled: useSeesDefinitions() && enabled,
    queryKey: keys.documents("agents"),
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/agents", { params: { query }, signal }))),
  });
}

export function useAgent(name: string) {
  return useQuery({
    queryKey: keys.document("agents", name),
    queryFn: ({ signal }) => data(api.GET("/api/v1/agents/{name}", { params: { path: { name } }, signal })),
  });
}

export function useTools(q = "") {
  return useQuery({
    queryKey: [...keys.documents("tools"), q],
    queryFn: ({ signal }) =>
      everyPage((page) =>
        data(api.GET("/api/v1/tools", { params: { query: { ...page, q: q || undefined } }, signal })),
      ),
  });
}

/** Search results across approvals, runs and workflows. The last results stay while the next ones load. */
export function useSearch(q: string) {
  return useQuery({
    enabled: q !== "",
    queryKey: keys.search(q),
    queryFn: ({ signal }) => data(api.GET("/api/v1/search", { params: { query: { q } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
}
