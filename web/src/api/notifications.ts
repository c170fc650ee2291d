import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, attempt, data } from "./client";
import { keys } from "./queries";

/** The user's browsers that get push messages. */
export function useMyPushes() {
  return useQuery({
    queryKey: keys.myPushes,
    queryFn: ({ signal }) => data(api.GET("/api/v1/me/push", { signal })),
  });
}

/** Stops push messages in one of the user's browsers. */
export function useRemovePush() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (browser: { id: string }) =>
      data(api.DELETE("/api/v1/me/push", { params: { query: { id: browser.id } }, headers: attempt(browser) })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.myPushes }),
  });
}

/** Sends a test message to one of the user's browsers. */
export function useTestPush() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (browser: { id: string }) =>
      data(api.POST("/api/v1/me/push/{id}/test", { params: { path: { id: browser.id } }, headers: attempt(browser) })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.myPushes }), // one that is gone is removed
  });
}
