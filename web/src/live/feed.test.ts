import { describe, expect, it } from "vitest";
import type { Event } from "../api/types";
import { type Connection, Feed, type Surroundings } from "./feed";
import type { Reading } from "./sse";

/** A server with a feed of numbered events, and the browser's locks and channels between tabs. */
class World {
  readings: { reading: Reading; after: string | null; end: () => void; fail: () => void }[] = [];
  private holders: (() => void)[] = [];
  private held = false;
  private ports: { onmessage: ((event: { data: unknown }) => void) | null }[] = [];
  waits: (() => void)[] = [];
  time = 1000;

  around(locks = true): Surroundings {
    return {
      now: () => this.time,
      wait: (_ms, signal) =>
        new Promise((resolve) => {
          this.waits.push(resolve);
          signal.addEventListener("abort", () => resolve());
        }),
      read: (reading) =>
        new Promise((resolve, reject) => {
          const after = new URL(reading.url, "http://x").searchParams.get("after");
          this.readings.push({ reading, after, end: resolve, fail: () => reject(new Error("broken")) });
          reading.signal.addEventListener("abort", () => reject(new Error("stopped")));
        }),
      locks: locks ? { request: (_name, { signal }, hold) => this.lock(signal, hold) } : undefined,
      channel: () => {
        const port = {
          onmessage: null as ((event: { data: unknown }) => void) | null,
          postMessage: (data: unknown) => {
            for (const other of this.ports) if (other !== port) other.onmessage?.({ data: structuredClone(data) });
          },
          close: () => {
            this.ports = this.ports.filter((p) => p !== port);
          },
        };
        this.ports.push(port);
        return port;
      },
    };
  }

  private async lock(signal: AbortSignal, hold: () => Promise<void>): Promise<void> {
    if (this.held) {
      await new Promise<void>((resolve, reject) => {
        this.holders.push(resolve);
        signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    }
    this.held = true;
    await hold();
    this.held = false;
    this.holders.shift()?.();
  }
}

function tab(world: World, locks = true) {
  const seen = { events: [] as number[], connections: [] as Connection[], gaps: 0, returns: 0 };
  const feed = new Feed(
    world.around(locks),
    (event: Event) => seen.events.push(event.feed),
    (connection) => seen.connections.push(connection),
    () => seen.gaps++,
    () => seen.returns++,
  );
  feed.start();
  return { feed, seen };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));
const event = (feed: number) => ({
  id: String(feed),
  numbered: true,
  event: "x",
  data: `{"feed":${feed},"data":{"n":9007199254740993}}`,
});
const mark = (feed: number) => ({ id: String(feed), numbered: true, event: "message", data: "" });
const news = (feed: number) => ({ id: String(feed), numbered: false, event: "y", data: `{"feed":${feed},"data":{}}` });

describe("the feed", () => {
  it("is one connection for all tabs, and all tabs hear everything", async () => {
    const world = new World();
    const tabs = Array.from({ length: 7 }, () => tab(world));
    await settle();
    expect(world.readings).toHaveLength(1);
    const { reading } = world.readings[0] as (typeof world.readings)[0];
    reading.onOpen();
    reading.onMessage(event(1));
    reading.onMessage(event(2));
    for (const { seen, feed } of tabs) {
      expect(seen.events).toEqual([1, 2]);
      expect(feed.connection).toEqual({ state: "connected" });
    }
  });

  it("goes on in another tab when its tab is closed, with no gap and nothing twice", async () => {
    const world = new World();
    const [first, second, third] = [tab(world), tab(world), tab(world)];
    await settle();
    world.readings[0]?.reading.onOpen();
    world.readings[0]?.reading.onMessage(mark(5));
    world.readings[0]?.reading.onMessage(event(6));
    const { gaps } = second.seen;
    first.feed.stop();
    await settle();
    expect(world.readings).toHaveLength(2);
    expect(world.readings[1]?.after).toBe("6");
    world.readings[1]?.reading.onOpen();
    world.readings[1]?.reading.onMessage(event(6));
    world.readings[1]?.reading.onMessage(event(7));
    for (const { seen } of [second, third]) expect(seen.events).toEqual([6, 7]);
    expect(second.seen.gaps).toBe(gaps);
    expect(first.seen.events).toEqual([6]);
  });

  it("resumes after a break where it was, even if only signs of life came", async () => {
    const world = new World();
    const { seen, feed } = tab(world);
    await settle();
    expect(world.readings[0]?.after).toBeNull();
    world.readings[0]?.reading.onOpen();
    expect(seen.gaps).toBe(1);
    world.readings[0]?.reading.onMessage(mark(41));
    world.time = 5000;
    world.readings[0]?.fail();
    await settle();
    expect(feed.connection).toEqual({ state: "lost", since: 5000 });
    world.time = 9000;
    world.waits[0]?.();
    await settle();
    expect(world.readings[1]?.after).toBe("41");
    world.readings[1]?.fail();
    await settle();
    expect(feed.connection).toEqual({ state: "lost", since: 5000 });
    world.waits[1]?.();
    await settle();
    world.readings[2]?.reading.onOpen();
    expect(feed.connection).toEqual({ state: "connected" });
    expect(seen.gaps).toBe(1);
  });

  it("passes news on to all tabs, and says when some may have been missed", async () => {
    const world = new World();
    const [first, second, third] = [tab(world), tab(world), tab(world)];
    await settle();
    world.readings[0]?.reading.onOpen();
    world.readings[0]?.reading.onMessage(mark(5));
    world.readings[0]?.reading.onMessage(news(5));
    world.readings[0]?.reading.onMessage(news(5));
    for (const { seen, feed } of [first, second, third]) expect([seen.events, feed.at]).toEqual([[5, 5], 5]);
    expect([first.seen.returns, second.seen.returns]).toEqual([0, 0]);
    first.feed.stop();
    await settle();
    world.readings[1]?.reading.onOpen();
    expect([first, second, third].map(({ seen }) => seen.returns)).toEqual([0, 1, 1]);
  });

  it("tells a tab that comes later how things stand", async () => {
    const world = new World();
    tab(world);
    await settle();
    world.readings[0]?.reading.onOpen();
    world.readings[0]?.reading.onMessage(mark(3));
    const late = tab(world);
    expect(late.feed.connection).toEqual({ state: "connected" });
    expect(late.feed.at).toBe(3);
    expect(late.seen.gaps, "what it read may be from before the third").toBe(1);
    world.readings[0]?.reading.onMessage(event(4));
    expect(late.seen).toMatchObject({ events: [4], gaps: 1 });
  });

  it("connects by itself where there are no locks", async () => {
    const world = new World();
    const tabs = [tab(world, false), tab(world, false)];
    await settle();
    expect(world.readings).toHaveLength(2);
    world.readings[1]?.reading.onMessage(event(1));
    expect(tabs[0]?.seen.events).toEqual([]);
    expect(tabs[1]?.seen.events).toEqual([1]);
  });

  it("keeps the payload of an event as it came", async () => {
    const world = new World();
    let got: Event | undefined;
    const feed = new Feed(
      world.around(),
      (e) => {
        got = e;
      },
      () => {},
      () => {},
    );
    feed.start();
    await settle();
    world.readings[0]?.reading.onMessage(event(1));
    expect(got?.data).toEqual({ $json: '{"n":9007199254740993}' });
    feed.stop();
  });
});
