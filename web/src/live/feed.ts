import { noticeSignedOut } from "../api/signedOut";
import type { Event } from "../api/types";
import { envelop } from "../json/envelop";
import { type Message, type Reading, readStream } from "./sse";

/** The state of the live connection. */
export type Connection = { state: "connecting" } | { state: "connected" } | { state: "lost"; since: number };

/** The environment of a feed; tests bring their own. */
export interface Surroundings {
  read: (reading: Reading) => Promise<void>;
  /** Missing in insecure contexts; then each tab has its own connection. */
  locks?: { request(name: string, options: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void> };
  channel?: () => {
    postMessage(message: unknown): void;
    onmessage: ((event: { data: unknown }) => void) | null;
    close(): void;
  };
  now: () => number;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Told =
  | { kind: "event"; id: number; text: string }
  | { kind: "news"; text: string }
  | { kind: "opened" }
  | { kind: "mark"; id: number }
  | { kind: "connection"; connection: Connection }
  | { kind: "hello" };

const lockName = "assent.live";
const waitMax = 10_000;

/**
 * The server's events, over one connection for all tabs: browsers open only six per server, so a seventh tab with its
 * own would hang.
 *
 * The tab that owns the lock reads and forwards to the others. Each tab remembers its position, so that a tab which
 * takes over continues exactly there and no event arrives twice.
 */
export class Feed {
  connection: Connection = { state: "connecting" };
  /** The number of the last event or heartbeat; undefined before the first. */
  at: number | undefined;

  private stopped = new AbortController();
  private channel: ReturnType<NonNullable<Surroundings["channel"]>> | undefined;
  private leading = false;
  private lostSince: number | undefined;

  constructor(
    private readonly around: Surroundings,
    private readonly onEvent: (event: Event) => void,
    private readonly onConnection: (connection: Connection) => void,
    /** Events may have been missed: refetch everything. */
    private readonly onGap: () => void,
    /** News, which is in no log, may have been missed: refetch the queries it affects. */
    private readonly onReturn: () => void = () => {},
  ) {}

  start(): void {
    const { locks, channel } = this.around;
    if (!locks || !channel) {
      void this.lead();
      return;
    }
    this.channel = channel();
    this.channel.onmessage = ({ data }) => this.hear(data as Told);
    this.channel.postMessage({ kind: "hello" } satisfies Told);
    locks
      .request(lockName, { signal: this.stopped.signal }, () => this.lead())
      .catch(() => {
        // Stopped while waiting for the lock, or the browser refused it.
        if (!this.stopped.signal.aborted && !this.leading) void this.lead();
      });
  }

  stop(): void {
    this.stopped.abort();
    this.channel?.close();
  }

  private tell(told: Told): void {
    if (this.leading) this.channel?.postMessage(told);
  }

  private hear(told: Told): void {
    if (told.kind === "hello") {
      this.tell({ kind: "connection", connection: this.connection });
      if (this.at !== undefined) this.tell({ kind: "mark", id: this.at });
    } else if (!this.leading) {
      const fresh = this.at === undefined;
      this.take(told);
      // What happened before the first number was told to others, while this tab was reading its first data.
      if (fresh && this.at !== undefined) this.onGap();
    }
  }

  private take(told: Told): void {
    switch (told.kind) {
      case "event":
        if (this.at !== undefined && told.id <= this.at) return;
        this.at = told.id;
        this.onEvent(JSON.parse(envelop(told.text, "Event")) as Event);
        return;
      case "news":
        this.onEvent(JSON.parse(envelop(told.text, "Event")) as Event);
        return;
      case "opened":
        this.onReturn();
        return;
      case "mark":
        if (this.at === undefined || told.id > this.at) this.at = told.id;
        return;
      case "connection":
        this.set(told.connection);
    }
  }

  private set(connection: Connection): void {
    this.connection = connection;
    this.onConnection(connection);
    this.tell({ kind: "connection", connection });
  }

  /** Reads until stopped, reconnecting as needed. */
  private async lead(): Promise<void> {
    this.leading = true;
    const { signal } = this.stopped;
    for (let failures = 0; !signal.aborted; ) {
      const from = this.at;
      try {
        await this.around.read({
          url: from === undefined ? "/api/v1/events" : `/api/v1/events?after=${from}`,
          signal,
          onOpen: () => {
            failures = 0;
            // Without a number to continue from, earlier events are unknown.
            if (from === undefined) this.onGap();
            else {
              this.tell({ kind: "opened" });
              this.take({ kind: "opened" });
            }
            this.lostSince = undefined;
            this.set({ state: "connected" });
          },
          onMessage: (message) => {
            const id = Number(message.id);
            if (message.id === "" || !Number.isSafeInteger(id)) return;
            const told = toldOf(message, id);
            this.tell(told);
            this.take(told);
          },
        });
      } catch (error) {
        // Refused, broken or silent: retry in any case.
        noticeSignedOut(error);
      }
      if (signal.aborted) return;
      failures++;
      this.lostSince ??= this.around.now();
      this.set({ state: "lost", since: this.lostSince });
      await this.around.wait(Math.min(waitMax, 500 * 2 ** failures), signal);
    }
  }
}

function toldOf({ data, numbered }: Message, id: number): Told {
  if (data === "") return { kind: "mark", id };
  return numbered ? { kind: "event", id, text: data } : { kind: "news", text: data };
}

/** The environment of a browser. */
export function browser(): Surroundings {
  return {
    read: readStream,
    locks: navigator.locks as Surroundings["locks"],
    channel:
      typeof BroadcastChannel === "undefined"
        ? undefined
        : () => new BroadcastChannel(lockName) as unknown as ReturnType<NonNullable<Surroundings["channel"]>>,
    now: () => Date.now(),
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          window.removeEventListener("online", done);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        window.addEventListener("online", done); // back online: retry at once
        signal.addEventListener("abort", done);
      }),
  };
}
