import { useQuery } from "@tanstack/react-query";
import { api, data } from "../api/client";

/**
 * Whether this browser is signed in after all: in another tab, or since the page was opened. Checked when the page
 * becomes visible again.
 */
export function useKnown(ask: boolean): boolean {
  const { data: me } = useQuery({
    queryKey: ["sign-in", "known"],
    queryFn: ({ signal }) => data(api.GET("/api/v1/me", { signal })),
    enabled: ask,
    retry: false,
    staleTime: 0,
    refetchOnWindowFocus: "always",
  });
  return me !== undefined;
}
