import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, attempt, data } from "./client";
import { useSeesDefinitions } from "./documents";
import { keys } from "./queries";

export const policyQuery = queryOptions({
  queryKey: keys.policy,
  queryFn: ({ signal }) => data(api.GET("/api/v1/policy", { signal })),
});

/** The policy in force: rules, emergency stop, file problems. */
export function usePolicy() {
  return useQuery({ ...policyQuery, enabled: useSeesDefinitions() });
}

/** Switches automatic approval off (on: true) or back on. */
export function useEmergencyStop() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (stop: { on: boolean; reason?: string }) =>
      data(api.POST("/api/v1/policy/emergency_stop", { params: { header: attempt(stop) }, body: stop })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.policy }),
  });
}

/** Decisions by rules that are waiting for a person's review, with each rule's accuracy. */
export function usePolicySamples(since?: string) {
  return useQuery({
    queryKey: [...keys.policy, "samples", since ?? ""],
    queryFn: ({ signal }) => data(api.GET("/api/v1/policy/samples", { params: { query: { since } }, signal })),
  });
}

/** Rules suggested by past decisions. */
export function usePolicySuggestions(since?: string) {
  return useQuery({
    queryKey: [...keys.policy, "suggestions", since ?? ""],
    queryFn: ({ signal }) => data(api.GET("/api/v1/policy/suggestions", { params: { query: { since } }, signal })),
  });
}
