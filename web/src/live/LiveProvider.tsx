import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from "react";
import type { Event } from "../api/types";
import { later } from "../lib/later";
import { affects, newsKeys } from "./affects";
import { Batch } from "./batch";
import { browser, type Connection, Feed } from "./feed";
import { Outdated } from "./outdated";

interface Live {
  connection: () => Connection;
  onConnection: (listener: () => void) => () => void;
  onEvent: (listener: (event: Event) => void) => () => void;
}

const Context = createContext<Live | undefined>(undefined);

/** Keeps the query cache in sync with the server. Used once, around everything. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const store = useRef<{ connection: Connection; connections: Set<() => void>; events: Set<(event: Event) => void> }>({
    connection: { state: "connecting" },
    connections: new Set(),
    events: new Set(),
  });

  useEffect(() => {
    const { current } = store;
    const outdated = new Outdated(client);
    const batch = new Batch((queryKey) => outdated.add({ queryKey }));
    // The data of the first view is fresh: what was fetched before the connection was there is fetched again once that
    // view is drawn.
    let forget: (() => void) | undefined;
    const feed = new Feed(
      browser(),
      (event) => {
        for (const key of affects(event)) batch.add(key);
        for (const listener of current.events) listener(event);
      },
      (connection) => {
        current.connection = connection;
        for (const listener of current.connections) listener();
      },
      () => {
        if (forget) outdated.add({});
        else forget = later(outdated.before());
      },
      () => {
        for (const key of newsKeys) batch.add(key);
      },
    );
    feed.start();
    return () => {
      forget?.();
      feed.stop();
      batch.stop();
      outdated.stop();
    };
  }, [client]);

  const live = useMemo<Live>(
    () => ({
      connection: () => store.current.connection,
      onConnection: (listener) => {
        store.current.connections.add(listener);
        return () => store.current.connections.delete(listener);
      },
      onEvent: (listener) => {
        store.current.events.add(listener);
        return () => store.current.events.delete(listener);
      },
    }),
    [],
  );
  return <Context value={live}>{children}</Context>;
}

function useLive(): Live {
  const live = useContext(Context);
  if (!live) throw new Error("LiveProvider is missing");
  return live;
}

/** The state of the live connection: connecting, connected, or lost since a time. */
export function useConnection(): Connection {
  const live = useLive();
  return useSyncExternalStore(live.onConnection, live.connection);
}

/** Since when the connection is lost; undefined while it is not. Establishing the first one changes nothing here. */
export function useLostSince(): number | undefined {
  const live = useLive();
  return useSyncExternalStore(live.onConnection, () => {
    const connection = live.connection();
    return connection.state === "lost" ? connection.since : undefined;
  });
}

/** Calls listener for each server event as it happens. */
export function useLiveEvents(listener: (event: Event) => void): void {
  const live = useLive();
  const latest = useRef(listener);
  // With the page, not some time after it: an event in between would be heard for what was shown before.
  useLayoutEffect(() => {
    latest.current = listener;
  });
  useLayoutEffect(() => live.onEvent((event) => latest.current(event)), [live]);
}
