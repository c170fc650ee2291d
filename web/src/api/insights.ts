import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { type InsightSpan, keys } from "./queries";

/** Decision metrics of one workflow, or of all (""). */
export function useInsights(span: InsightSpan, workflow: string) {
  return useQuery({
    queryKey: keys.insights(span, workflow),
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/insights", { params: { query: { ...span, workflow: workflow || undefined } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000, // sums over weeks: once a minute is enough, whatever the live stream reports
  });
}
