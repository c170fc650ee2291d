import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { Raw } from "../json";
import { api, attempt, data } from "./client";
import { ApiError } from "./error";
import { keys } from "./queries";
import type { Approval, ApprovalFilter, Batch, Decision } from "./types";

export function approvalsQuery(filter: ApprovalFilter) {
  return queryOptions({
    queryKey: keys.approvalList(filter),
    queryFn: ({ signal }) => data(api.GET("/api/v1/approvals", { params: { query: filter }, signal })),
    placeholderData: keepPreviousData,
  });
}

/** One page of approvals. */
export function useApprovals(filter: ApprovalFilter) {
  return useQuery(approvalsQuery(filter));
}

/** Earlier drafts of the same proposal that were sent back, latest first. */
export function useEarlierDrafts(a: Approval): Approval[] {
  const revises = a.acts.includes("request_revision") || a.on_reject === "revise";
  const { data: list } = useQuery({
    ...approvalsQuery({ run: a.run, status: ["revision_requested", "rejected"], limit: 50 }),
    // Most approvals cannot be sent back, so there is nothing to fetch.
    enabled: a.gate !== "" && (revises || a.status !== "pending"),
  });
  return useMemo(() => {
    const same = (one: Approval) =>
      one.id !== a.id && one.gate === a.gate && one.step === a.step && one.index === a.index;
    const sentBack = (one: Approval) => one.status === "revision_requested" || one.on_reject === "revise";
    return (list?.items ?? [])
      .filter((one) => one.run === a.run && same(one) && sentBack(one) && one.requested_at < a.requested_at)
      .sort((x, y) => (x.requested_at < y.requested_at ? 1 : -1));
  }, [list, a]);
}

/** People an approval can be delegated or escalated to, matched by part of the name. */
export function useRecipients(id: string, q: string, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: keys.recipients(id, q),
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/approvals/{id}/recipients", {
          params: { path: { id }, query: { q: q || undefined, limit: 50 } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false, // only a suggestion list: names can still be typed
  });
}

/** All approvals of a filter, page by page: `data.items`, `data.total`, `fetchNextPage()`. */
export function useApprovalPages(filter: Omit<ApprovalFilter, "cursor">) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: keys.approvalPages(filter),
      queryFn: ({ pageParam, signal }) =>
        data(
          api.GET("/api/v1/approvals", { params: { query: { ...filter, cursor: pageParam || undefined } }, signal }),
        ),
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

/** All approvals that match a filter, page by page, up to a limit; more reports whether there were others. */
export async function approvalsAlike(
  filter: ApprovalFilter,
  fits: (approval: Approval) => boolean,
  most: number,
): Promise<{ items: Approval[]; more: boolean }> {
  const items: Approval[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, limit: pageMax, cursor };
    const page = await data(api.GET("/api/v1/approvals", { params: { query } }));
    items.push(...page.items.filter((a) => a.status === "pending" && fits(a)));
    cursor = page.next_cursor || undefined;
  } while (cursor && items.length <= most);
  return { items: items.slice(0, most), more: items.length > most };
}

const pageMax = 1000;

const allPending: ApprovalFilter = { status: ["pending"], limit: 1 };

export const pendingCountQuery = queryOptions({
  queryKey: keys.approvalCount(allPending),
  queryFn: ({ signal }) => data(api.GET("/api/v1/approvals", { params: { query: allPending }, signal })),
  select: (list) => list.total,
});

/** The number of pending approvals. */
export function usePendingCount() {
  return useQuery(pendingCountQuery);
}

export function approvalQuery(id: string) {
  return queryOptions({
    queryKey: keys.approval(id),
    queryFn: ({ signal }) => data(api.GET("/api/v1/approvals/{id}", { params: { path: { id } }, signal })),
  });
}

/** One approval. Values over 64 KiB are references ({"$blob", size, preview}); see useWholeApproval. */
export function useApproval(id: string) {
  return useQuery(approvalQuery(id));
}

/** The same approval with large values in full, fetched only on request. */
export function useWholeApproval(id: string, version: number, enabled: boolean) {
  return useQuery({
    queryKey: keys.wholeApproval(id, version),
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/approvals/{id}", { params: { path: { id }, query: { full: true } }, signal })),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Comments on an open approval; a comment is not a decision. */
export function useComment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["comment", id],
    mutationFn: (remark: { text: string }) =>
      data(
        api.POST("/api/v1/approvals/{id}/comments", {
          params: { path: { id }, header: attempt(remark) },
          body: remark,
        }),
      ),
    onSuccess: (approval) => client.setQueryData(keys.approval(id), approval),
  });
}

/** Sends a decision. The response replaces the approval in the cache; after a conflict it is fetched again. */
export async function sendDecision(client: QueryClient, id: string, decision: Decision): Promise<Approval> {
  try {
    const after = await data(
      api.POST("/api/v1/approvals/{id}/decisions", {
        params: { path: { id }, header: attempt(decision) },
        body: decision,
        keepalive: outlives(decision),
      }),
    );
    client.setQueryData(keys.approval(id), after);
    return after;
  } catch (error) {
    if (error instanceof ApiError && error.status === 409)
      void client.invalidateQueries({ queryKey: keys.approval(id) });
    throw error;
  } finally {
    void client.invalidateQueries({ queryKey: keys.approvalLists });
  }
}

/** Whether a decision can be sent while the page unloads: browsers let only 64 KiB outlive a page. */
function outlives(decision: Decision): boolean {
  return (decision.changes?.$json.length ?? 0) + (decision.data?.$json.length ?? 0) < 20_000;
}

/** Decides many approvals at once; each has its own result. */
export function useDecideMany() {
  const client = useQueryClient();
  return useMutation({
    mutationKey: ["decide-many"],
    mutationFn: (batch: Batch) =>
      data(api.POST("/api/v1/approvals/batch", { params: { header: attempt(batch) }, body: batch })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.approvals }),
  });
}

/** The proposal with changes (a merge patch) applied; nothing is saved. */
export function usePreview(id: string, changes: Raw | undefined) {
  return useQuery({
    queryKey: keys.preview(id, changes?.$json ?? ""),
    queryFn: ({ signal }) =>
      data(
        api.POST("/api/v1/approvals/{id}/preview", {
          params: { path: { id } },
          body: { changes: changes ?? null },
          signal,
        }),
      ),
    enabled: changes !== undefined,
    placeholderData: keepPreviousData,
  });
}
