import { useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { useMay } from "./documents";
import type { components } from "./schema";

export type Setting = components["schemas"]["Setting"];

/** What the server was started with, and where each value comes from. Secrets are not in it. */
export function useSettings() {
  return useQuery({
    enabled: useMay()("admin"),
    queryKey: ["settings"],
    queryFn: ({ signal }) => data(api.GET("/api/v1/settings", { signal })),
    staleTime: 60_000,
  });
}
