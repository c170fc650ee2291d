import type { QueryKey } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keys } from "../api/queries";
import type { Event } from "../api/types";
import { affects } from "./affects";
import { Batch } from "./batch";
import { messages, readStream } from "./sse";

describe("server-sent events", () => {
  it("are put together from pieces", () => {
    const read = messages();
    expect(read("retry: 1000\n: open\nid: 4\n\nid: 5\nevent: run.st")).toEqual([
      { id: "4", numbered: true, event: "message", data: "" },
    ]);
    expect(read('arted\ndata: {"a":\ndata: 1}\n')).toEqual([]);
    expect(read("\n")).toEqual([{ id: "5", numbered: true, event: "run.started", data: '{"a":\n1}' }]);
    expect(read(": alive\nid: 9\n\n")).toEqual([{ id: "9", numbered: true, event: "message", data: "" }]);
    expect(read("event: policy.changed\ndata: {}\n\n")).toEqual([
      { id: "9", numbered: false, event: "policy.changed", data: "{}" },
    ]);
  });

  it("are given up when the server falls silent", async () => {
    vi.useFakeTimers();
    let cancelled = false;
    vi.stubGlobal("fetch", (_url: string, init: RequestInit) => {
      const body = new ReadableStream<Uint8Array>({
        start(c) {
          init.signal?.addEventListener("abort", () => {
            cancelled = true;
            c.error(new DOMException("aborted", "AbortError"));
          });
        },
      });
      return Promise.resolve(new Response(body, { status: 200 }));
    });
    const reading = readStream({
      url: "/x",
      signal: new AbortController().signal,
      onOpen: () => {},
      onMessage: () => {},
      silenceMs: 100,
    });
    const refused = expect(reading).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(101);
    await refused;
    expect(cancelled).toBe(true);
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
});

describe("invalidations", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("come at most four times a second for a key, and never get lost", async () => {
    const done: QueryKey[] = [];
    const batch = new Batch(
      (key) => done.push(key),
      250,
      () => Date.now(),
    );
    for (let i = 0; i < 100; i++) {
      batch.add(["a"]);
      if (i === 50) batch.add(["b"]);
      await vi.advanceTimersByTimeAsync(10);
    }
    const a = done.filter(([k]) => k === "a").length;
    expect(a).toBeGreaterThanOrEqual(3);
    expect(a).toBeLessThanOrEqual(5);
    expect(done.filter(([k]) => k === "b")).toHaveLength(1);
    const before = done.length;
    batch.add(["a"]);
    await vi.advanceTimersByTimeAsync(300);
    expect(done.length).toBe(before + 1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(done.length).toBe(before + 1);
  });

  it("follow from what happened", () => {
    const of = (type: string, data = "{}") => affects({ type, run: "run_1", data: { $json: data } } as Event);
    expect(of("step.completed")).toEqual([
      keys.run("run_1"),
      keys.runEvents("run_1"),
      keys.runSteps("run_1"),
      keys.runLists,
    ]);
    expect(of("approval.needed", '{"approval":"apr_1_2"}')).toContainEqual(keys.approval("apr_1_2"));
    expect(of("approval.needed", '{"request":{"id":"apr_1_3"},"other":"apr_9"}')).toContainEqual(
      keys.approval("apr_1_3"),
    );
    expect(of("approval.decided", '{"id":"apr_1_4","decision":{}}')).toContainEqual(keys.approval("apr_1_4"));
    expect(of("approval.decided")).toContainEqual(keys.approvalOnes);
    expect(of("approval.decided")).toContainEqual(keys.approvalLists);
    expect(of("run.started")).not.toContainEqual(keys.approvals);
    expect(of("run.cancelled")).toContainEqual(keys.approvals);
    expect(of("deliverable.created")).toContainEqual(keys.deliverables);
    const news = (type: string, data = "{}") => affects({ type, run: "", data: { $json: data } } as Event);
    expect(news("policy.changed")).toEqual([keys.policy]);
    expect(news("definition.changed")).toEqual([keys.allDocuments, keys.automation, keys.channels]);
    expect(news("definition.changed", '{"kind":"agent"}')).not.toContainEqual(keys.preferences);
    expect(news("definition.changed", '{"kind":"channel"}')).toContainEqual(keys.preferences);
    expect(news("definition.changed", '{"kind":"notifications"}')).toContainEqual(keys.preferences);
    expect(news("trigger.delivered")).toEqual([keys.automation]);
    expect(news("something.new")).toEqual([]);
  });
});
