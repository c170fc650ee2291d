import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, attempt, data } from "./client";
import { everyPage } from "./every";
import { keys } from "./queries";
import type { components } from "./schema";

export type Experience = components["schemas"]["Graph"];
export type RunTaught = components["schemas"]["RunTaught"];
export type Forgetting = components["schemas"]["GraphForgetting"];

/** How many tools and relations are shown. */
const limit = 100;

/** What runs taught about tools. */
export function useExperience() {
  return useQuery({
    queryKey: keys.experience,
    queryFn: ({ signal }) => data(api.GET("/api/v1/graph", { params: { query: { limit } }, signal })),
  });
}

/** Past requests and the tools that served them, page by page, newest first. For administrators. */
export function useLearnedRequests() {
  return useInfiniteQuery({
    queryKey: [...keys.experience, "requests"],
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET("/api/v1/graph/requests", { params: { query: { limit: 20, cursor: pageParam || undefined } }, signal }),
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
    select: ({ pages }) => pages.flatMap((page) => page.items),
  });
}

/** What each run taught, page by page, newest first. For administrators. */
export function useRunsTaught() {
  return useInfiniteQuery({
    queryKey: [...keys.experience, "runs"],
    queryFn: ({ pageParam, signal }) =>
      data(api.GET("/api/v1/graph/runs", { params: { query: { limit: 20, cursor: pageParam || undefined } }, signal })),
    initialPageParam: "",
    getNextPageParam: (last) => last.next_cursor || undefined,
    select: ({ pages }) => pages.flatMap((page) => page.items),
  });
}

/** All that runs taught, as JSON with a line for each run. */
export function useExportExperience() {
  return useMutation({
    mutationFn: async () => {
      const { items } = await everyPage((query) => data(api.GET("/api/v1/graph/runs", { params: { query } })));
      return items.map((one) => `${JSON.stringify(one)}\n`).join("");
    },
  });
}

/** Forgets what was learned so far; runs that end later teach again. */
export function useForgetExperience() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (what: Forgetting) =>
      data(api.POST("/api/v1/graph/forget", { params: { header: attempt(what) }, body: what })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.experience }),
  });
}
