import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, attempt, data, replaces } from "./client";
import { useSeesDefinitions } from "./documents";
import { keys } from "./queries";

interface Saving {
  name: string;
  text: string;
  over?: number;
}

const written = (saving: Saving) => ({
  body: saving.text as never,
  headers: { "Content-Type": "application/yaml", ...attempt(saving), ...replaces(saving.over) },
});

/** Saves a channel and puts it in force. */
export function useSaveChannel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (saving: Saving) =>
      data(api.PUT("/api/v1/channels/{name}", { params: { path: { name: saving.name } }, ...written(saving) })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.channels }),
  });
}

/** Deletes a channel; messages that were not sent are suppressed. */
export function useDeleteChannel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (channel: { name: string }) =>
      data(api.DELETE("/api/v1/channels/{name}", { params: { path: channel }, headers: attempt(channel) })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.channels }),
  });
}

/** Which events are sent where, unless people or workflows choose otherwise; version 0, which says what applies, before any are saved. */
export function useDefaults() {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: keys.channelDefaults,
    queryFn: ({ signal }) => data(api.GET("/api/v1/notifications", { signal })),
  });
}

/** Saves the defaults and puts them in force. */
export function useSaveDefaults() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (saving: Saving) => data(api.PUT("/api/v1/notifications", written(saving))),
    onSettled: () => client.invalidateQueries({ queryKey: keys.channels }),
  });
}
