import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { compact, type Raw, treeOf } from "../json";
import { api, attempt, data, replaces } from "./client";
import { everyPage } from "./every";
import { keys } from "./queries";

/** The schedules in force, with their next times. */
export function useSchedules() {
  return useQuery({
    queryKey: keys.schedules,
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/schedules", { params: { query }, signal }))),
  });
}

/** The triggers in force, each with its last delivery. */
export function useTriggers() {
  return useQuery({
    queryKey: keys.triggers,
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/triggers", { params: { query }, signal }))),
  });
}

/** A trigger with its last deliveries and their payloads. */
export function useTrigger(name: string) {
  return useQuery({
    queryKey: keys.trigger(name),
    queryFn: ({ signal }) => data(api.GET("/api/v1/triggers/{name}", { params: { path: { name } }, signal })),
  });
}

/** Starts a run of a schedule now. */
export function useRunSchedule() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { name: string }) =>
      data(api.POST("/api/v1/schedules/{name}/run", { params: { path: one, header: attempt(one) } })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runLists }),
  });
}

/** Starts a run with a delivery again. */
export function useReplayDelivery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { name: string; delivery: string }) =>
      data(
        api.POST("/api/v1/triggers/{name}/deliveries/{delivery}/replay", {
          params: { path: one, header: attempt(one) },
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.automation }),
  });
}

export type AutomationKind = "schedules" | "triggers";

/** Saves a schedule or a trigger and puts it in force. */
export function useSaveAutomation(kind: AutomationKind) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (saving: { name: string; text: string; json?: boolean; over?: number }) => {
      const options = {
        params: { path: { name: saving.name }, header: attempt(saving) },
        body: saving.text as never,
        headers: { "Content-Type": saving.json ? "application/json" : "application/yaml", ...replaces(saving.over) },
      };
      return kind === "schedules"
        ? data(api.PUT("/api/v1/schedules/{name}", options))
        : data(api.PUT("/api/v1/triggers/{name}", options));
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.automation }),
  });
}

/** Deletes a schedule or a trigger; its versions are kept. */
export function useDeleteAutomation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (one: { kind: AutomationKind; name: string }) => {
      const options = { params: { path: { name: one.name }, header: attempt(one) } };
      if (one.kind === "schedules") await data(api.DELETE("/api/v1/schedules/{name}", options));
      else await data(api.DELETE("/api/v1/triggers/{name}", options));
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.automation }),
  });
}

/** The text of a definition with another value of enabled. */
export function switched(definition: Raw | null, enabled: boolean): string {
  const tree = treeOf(definition);
  if (tree.kind !== "object") return compact(tree);
  const members = tree.members.filter((m) => m.key !== "enabled");
  const value = { kind: "literal", text: enabled ? "true" : "false" } as const;
  return compact({ kind: "object", members: [...members, { key: "enabled", keyText: '"enabled"', value }] });
}
