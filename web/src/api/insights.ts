import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { keys } from "./queries";

/** How deciding goes, in figures: since such as "30d", of one workflow or of all (""). */
export function useInsights(since: string, workflow: string) {
  return useQuery({
    queryKey: keys.insights(since, workflow),
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/insights", { params: { query: { since, workflow: workflow || undefined } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000, // sums over weeks: once a minute is soon enough, whatever happens meanwhile
  });
}
