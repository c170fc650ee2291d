import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, attempt, data } from "./client";
import { problemOf, unreachable } from "./error";
import { keys } from "./queries";
import type { DeliverableFilter, Mark } from "./types";

/** One page of deliverables. */
export function useDeliverables(filter: DeliverableFilter) {
  return useQuery({
    queryKey: keys.deliverableList(filter),
    queryFn: ({ signal }) => data(api.GET("/api/v1/deliverables", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
}

export function deliverablePagesQuery(filter: Omit<DeliverableFilter, "cursor">) {
  return infiniteQueryOptions({
    queryKey: keys.deliverablePages(filter),
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET("/api/v1/deliverables", { params: { query: { ...filter, cursor: pageParam || undefined } }, signal }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
    placeholderData: keepPreviousData,
    select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages[0]?.total ?? 0 }),
  });
}

/** All deliverables of a filter, page by page. */
export function useDeliverablePages(filter: Omit<DeliverableFilter, "cursor">, enabled = true) {
  return useInfiniteQuery({ ...deliverablePagesQuery(filter), enabled });
}

export function useDeliverable(id: string) {
  return useQuery({
    queryKey: keys.deliverable(id),
    queryFn: ({ signal }) => data(api.GET("/api/v1/deliverables/{id}", { params: { path: { id } }, signal })),
  });
}

const versionsMax = 200;

/** All versions of a deliverable, newest first. They stay while another one of them is opened. */
export function useDeliverableVersions(id: string) {
  return useQuery({
    queryKey: keys.deliverableVersions(id),
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/deliverables/{id}/versions", {
          params: { path: { id }, query: { limit: versionsMax } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** Marks a deliverable as draft, final or archived. */
export function useMarkDeliverable(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (mark: Mark) =>
      data(
        api.POST("/api/v1/deliverables/{id}/status", { params: { path: { id }, header: attempt(mark) }, body: mark }),
      ),
    onSuccess: (after) => client.setQueryData(keys.deliverable(id), after),
    onSettled: () => client.invalidateQueries({ queryKey: keys.deliverables }),
  });
}

/**
 * The text of a deliverable as shown in pages: the beginning, or as much as can be drawn. cut means there is more. The
 * bytes of an id never change.
 */
export function usePreviewText(id: string, enabled: boolean, full = false) {
  return useQuery({
    queryKey: [...keys.deliverablePreview(id), full],
    queryFn: async ({ signal }) => {
      const address = previewUrl(id) + (full ? "?full=true" : "");
      const response = await fetch(address, { signal }).catch(() => Promise.reject(unreachable()));
      if (!response.ok) throw await problemOf(response);
      return { text: await response.text(), cut: response.headers.get("X-Assent-Cut") === "true" };
    },
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The URL of a deliverable's preview, as text or as an image. */
export function previewUrl(id: string): string {
  return `/api/v1/deliverables/${encodeURIComponent(id)}/preview`;
}

/** The URL of a deliverable's bytes. */
export function contentUrl(id: string): string {
  return `/api/v1/deliverables/${encodeURIComponent(id)}/content`;
}

/** The URL of a zip archive with all deliverables of a run. */
export function zipUrl(run: string): string {
  return `/api/v1/runs/${encodeURIComponent(run)}/deliverables.zip`;
}
