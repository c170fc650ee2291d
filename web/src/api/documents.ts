import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { keys } from "./queries";

const pageMax = 200;

/** The current user: the name and roles under which decisions are recorded. */
export function useMe() {
  return useQuery({
    queryKey: keys.me,
    queryFn: ({ signal }) => data(api.GET("/api/v1/me", { signal })),
    staleTime: 300_000,
  });
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
      data(api.GET("/api/v1/workflows", { params: { query: { status: "published", limit: pageMax } }, signal })),
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
    queryFn: ({ signal }) => data(api.GET("/api/v1/agents", { params: { query: { limit: pageMax } }, signal })),
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
      data(api.GET("/api/v1/tools", { params: { query: { q: q || undefined, limit: pageMax } }, signal })),
  });
}

export function useLessons() {
  return useQuery({
    queryKey: keys.lessons,
    queryFn: ({ signal }) => data(api.GET("/api/v1/lessons", { params: { query: { limit: pageMax } }, signal })),
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
