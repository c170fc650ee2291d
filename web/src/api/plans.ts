import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { keys } from "./queries";

/** A plan for an intent in plain words. Asking changes nothing, and the same question has the same answer. */
export function useSuggestion(intent: string, agent: string) {
  return useQuery({
    enabled: intent !== "",
    queryKey: keys.suggestion(intent, agent),
    queryFn: ({ signal }) =>
      data(api.POST("/api/v1/plans/suggest", { body: { intent, agent: agent || undefined }, signal })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

/** Tools and agents that fit a request in plain words, the best first. */
export function useToolSearch(q: string) {
  return useQuery({
    enabled: q !== "",
    queryKey: keys.tools(q),
    queryFn: ({ signal }) => data(api.GET("/api/v1/tools", { params: { query: { q, limit: 8 } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
}
