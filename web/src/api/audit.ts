import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import type { components, operations } from "./schema";

export type AuditEntry = components["schemas"]["AuditEntry"];
export type AuditCheck = components["schemas"]["AuditCheck"];
export type AuditFilter = NonNullable<operations["listAudit"]["parameters"]["query"]>;

/** Audit entries, page by page, newest first. */
export function useAuditPages(filter: Omit<AuditFilter, "cursor">) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: ["audit", filter],
      queryFn: ({ pageParam, signal }) =>
        data(api.GET("/api/v1/audit", { params: { query: { ...filter, cursor: pageParam || undefined } }, signal })),
      initialPageParam: "",
      getNextPageParam: (last) => last.next_cursor || undefined,
      placeholderData: keepPreviousData,
      staleTime: 5_000,
      select: ({ pages }) => ({
        items: pages.flatMap((page) => page.items),
        total: pages[0]?.total ?? 0,
        more: pages[0]?.total_is_lower_bound ?? false,
      }),
    }),
  );
}

/** The newest signed head, with the public keys. */
export function useAuditHead(enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: ["audit-head"],
    queryFn: ({ signal }) => data(api.GET("/api/v1/audit/head", { signal })),
    staleTime: 0,
  });
}

const stretch = 20_000;

/** Verifies the whole log, in stretches; tells how far it is. The last answer counts entries and events of all. */
export function useVerifyAudit(onProgress: (done: number, of: number) => void) {
  return useMutation({
    mutationFn: async (_: object): Promise<AuditCheck> => {
      let after = 0;
      const sum = { entries: 0, events: 0, missing: 0 };
      for (;;) {
        const check = await data(api.GET("/api/v1/audit/verify", { params: { query: { after, limit: stretch } } }));
        sum.entries += check.entries;
        sum.events += check.events;
        sum.missing += check.missing;
        onProgress(check.next, check.total);
        if (!check.ok || check.next >= check.total || check.next <= after) return { ...check, ...sum };
        after = check.next;
      }
    },
  });
}
