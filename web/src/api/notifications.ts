import {
  infiniteQueryOptions,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { api, attempt, data } from "./client";
import { useSeesDefinitions } from "./documents";
import { everyPage } from "./every";
import { keys } from "./queries";
import type { components, operations } from "./schema";

export type Preferences = components["schemas"]["Preferences"];
export type MyNotifications = components["schemas"]["MyNotifications"];
export type Channel = components["schemas"]["Channel"];
export type ChannelKind = components["schemas"]["ChannelKind"];
export type Delivery = components["schemas"]["Delivery"];
export type DeliveryStatus = components["schemas"]["DeliveryStatus"];
export type DeliveryFilter = NonNullable<operations["listDeliveries"]["parameters"]["query"]>;

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

/** The user's notification preferences. */
export function usePreferences() {
  return useQuery({
    queryKey: keys.preferences,
    queryFn: ({ signal }) => data(api.GET("/api/v1/me/notifications", { signal })),
  });
}

export function useSavePreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Preferences) => data(api.PUT("/api/v1/me/notifications", { body, headers: attempt(body) })),
    onSuccess: (saved) => client.setQueryData(keys.preferences, saved),
  });
}

/** The channels in force. */
export function useChannels() {
  return useQuery({
    enabled: useSeesDefinitions(),
    queryKey: keys.channels,
    queryFn: ({ signal }) => everyPage((query) => data(api.GET("/api/v1/channels", { params: { query }, signal }))),
  });
}

/** Sends a test message. The answer tells whether it arrived. */
export function useTestChannel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (channel: { name: string }) =>
      data(
        api.POST("/api/v1/channels/{name}/test", {
          params: { path: { name: channel.name } },
          headers: attempt(channel),
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.channels }),
  });
}

/** How soon a list shows what became of messages: they are sent after the event, and have none of their own. */
const deliveriesEvery = 3_000;

/** Messages, page by page: `data.items`, `data.total`, `fetchNextPage()`. */
export function useDeliveryPages(filter: Omit<DeliveryFilter, "cursor">) {
  return useInfiniteQuery(
    infiniteQueryOptions({
      queryKey: keys.deliveryPages(filter),
      queryFn: ({ pageParam, signal }) =>
        data(
          api.GET("/api/v1/deliveries", { params: { query: { ...filter, cursor: pageParam || undefined } }, signal }),
        ),
      initialPageParam: "",
      getNextPageParam: (last) => last.next_cursor || undefined,
      placeholderData: keepPreviousData,
      refetchInterval: deliveriesEvery,
      select: ({ pages }) => ({ items: pages.flatMap((page) => page.items), total: pages[0]?.total ?? 0 }),
    }),
  );
}

/** The messages about an approval, oldest first. */
export function useDeliveriesOf(approval: string, enabled: boolean) {
  return useQuery({
    enabled,
    queryKey: keys.deliveriesOf(approval),
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/deliveries", { params: { query: { approval, limit: 50 } }, signal })),
    select: (list) => [...list.items].reverse(),
  });
}

export function useRetryDelivery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (delivery: { id: string }) =>
      data(
        api.POST("/api/v1/deliveries/{id}/retry", {
          params: { path: { id: delivery.id } },
          headers: attempt(delivery),
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: keys.deliveries }),
  });
}

/** The user's accounts in other programs, such as Slack. */
export function useMyLinks() {
  return useQuery({
    queryKey: keys.myLinks,
    queryFn: ({ signal }) => data(api.GET("/api/v1/me/links", { signal })),
  });
}

/** The account in another program that a link is about. */
export function useLinkOffer(token: string) {
  return useQuery({
    queryKey: [...keys.myLinks, token],
    queryFn: ({ signal }) => data(api.GET("/api/v1/me/links/offers/{token}", { params: { path: { token } }, signal })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Links an account in another program, which can then decide as the user. */
export function useAddLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (link: { token: string }) =>
      data(api.POST("/api/v1/me/links", { body: { token: link.token }, headers: attempt(link) })),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.myLinks, exact: true }),
  });
}

/** Unlinks an account in another program. */
export function useRemoveLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (link: { id: string }) =>
      data(api.DELETE("/api/v1/me/links", { params: { query: { id: link.id } }, headers: attempt(link) })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.myLinks, exact: true }),
  });
}
