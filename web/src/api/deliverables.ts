import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { keys } from "./queries";
import type { DeliverableFilter } from "./types";

/** One page of deliverables. */
export function useDeliverables(filter: DeliverableFilter) {
  return useQuery({
    queryKey: keys.deliverableList(filter),
    queryFn: ({ signal }) => data(api.GET("/api/v1/deliverables", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** All deliverables of a filter, page by page. */
export function useDeliverablePages(filter: Omit<DeliverableFilter, "cursor">) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: keys.deliverablePages(filter),
      queryFn: ({ pageParam, signal }) =>
        data(
          api.GET("/api/v1/deliverables", { params: { query: { ...filter, cursor: pageParam || undefined } }, signal }),
        ),
      initialPageParam: "",
      getNextPageParam: (last) => last.next_cursor || undefined,
      placeholderData: keepPreviousData,
      select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages[0]?.total ?? 0 }),
    }),
  );
}

export function useDeliverable(id: string) {
  return useQuery({
    queryKey: keys.deliverable(id),
    queryFn: ({ signal }) => data(api.GET("/api/v1/deliverables/{id}", { params: { path: { id } }, signal })),
  });
}

/** Where the bytes of a deliverable are. */
export function contentUrl(id: string): string {
  return `/api/v1/deliverables/${encodeURIComponent(id)}/content`;
}

/** Where all deliverables of a run are, as one archive. */
export function zipUrl(run: string): string {
  return `/api/v1/runs/${encodeURIComponent(run)}/deliverables.zip`;
}
