import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { problem, serve } from "../../test/page";
import { keys, useValidation } from "../api";
import { newQueryClient } from "../api/queries";
import { setStep } from "./model/edit";
import { useEditor } from "./useEditor";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const before = `workflow: refunds
steps:
  - id: read
    agent: reader
  - id: check
    agent: checker
  - id: pay
    agent: payer
`;
const timeout = (step: string, value: string) => (yaml: string) => setStep(yaml, step, ["timeout"], value);
const loaded = { content: { yaml: before, layout: {}, samples: [] }, base: 1, revision: 1, by: "" };
const copyPath = "/api/v1/workflows/refunds/working_copy";
const lost = () => Promise.reject(new TypeError("Failed to fetch"));

/** A server with the working copy, where a save is one of revision before. */
function server(more: { put?: (n: number, body: { yaml: string }) => unknown } = {}) {
  const copy = { name: "refunds", yaml: before, base: 1, layout: {}, samples: [], revision: 1, by: "bob" };
  let puts = 0;
  const log = serve({
    "GET /api/v1/working_copies": () => ({
      items: copy.revision > 0 ? [copy] : [],
      total: copy.revision > 0 ? 1 : 0,
      next_cursor: "",
    }),
    [`DELETE ${copyPath}`]: ({ query }) => {
      if (query.get("revision") !== String(copy.revision)) return problem(409, "version_mismatch");
      copy.revision = 0;
      return copy;
    },
    [`PUT ${copyPath}`]: async ({ body }) => {
      const { revision, ...content } = JSON.parse(body);
      const answer = more.put?.(++puts, content);
      if (answer instanceof Response) return answer;
      if (revision !== copy.revision) return problem(409, "version_mismatch");
      Object.assign(copy, content, { revision: revision + 1, by: "ann" });
      if (answer) return answer;
      return { revision: copy.revision };
    },
  });
  return { copy, log };
}

function opened() {
  const client = newQueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return { client, ...renderHook(() => useEditor("refunds", loaded, true), { wrapper }) };
}

const edited = () => opened().result;

describe("saving a workflow while it is edited", () => {
  it("tries again when the server was away, without another edit", async () => {
    const { copy } = server({ put: (n) => (n <= 2 ? problem(503, "unavailable") : undefined) });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const editor = edited();
    act(() => editor.current.edit(timeout("read", "8m"), "Timeout"));
    await act(() => vi.advanceTimersByTimeAsync(800));
    await waitFor(() => expect(editor.current.save).toBe("failed"));
    expect(copy.yaml).toBe(before);
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    expect(editor.current.failure).toBeUndefined();
    expect(copy.yaml).toContain("timeout: 8m");
  });

  it("does not repeat what is refused", async () => {
    const { log } = server({ put: () => problem(403, "forbidden") });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const editor = edited();
    act(() => editor.current.edit(timeout("read", "8m"), "Timeout"));
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    expect(editor.current.save).toBe("failed");
    expect(log.length).toBe(1);
    act(() => editor.current.undo?.()); // else it is sent once more when the page is left
  });

  it("recognises its own text if only the answer was lost", async () => {
    const { copy } = server({ put: (n) => (n === 1 ? lost() : undefined) });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const editor = edited();
    act(() => editor.current.edit(timeout("read", "8m"), "Timeout"));
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    expect(copy.yaml).toContain("timeout: 8m");
    expect(editor.current.mergedFrom).toBeUndefined();
    expect(editor.current.clashes).toEqual([]);
  });

  it("keeps another person's change when the next edit comes before the page shows it", async () => {
    let next = () => {};
    const { copy } = server({ put: (n) => void (n === 2 && next()) });
    Object.assign(copy, { yaml: timeout("pay", "7m")(before), revision: 2 });
    const editor = edited();
    next = () => editor.current.edit(timeout("check", "9m"), "Timeout");
    act(() => editor.current.edit(timeout("read", "8m"), "Timeout"));
    await waitFor(() => expect(copy.yaml).toContain("9m"));
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    for (const text of [copy.yaml, editor.current.content.yaml])
      expect(["7m", "8m", "9m"].filter((value) => !text.includes(value))).toEqual([]);
    expect(editor.current.mergedFrom).toBe("bob");
  });

  it("undoes one's own change alone after a merge, and says so when another person has changed it since", async () => {
    const { copy } = server();
    const editor = edited();
    const save = async (change: (yaml: string) => string) => {
      act(() => editor.current.edit(change, "Timeout"));
      await waitFor(() => expect(editor.current.save).toBe("saved"));
    };
    await save(timeout("read", "8m"));
    Object.assign(copy, { yaml: timeout("pay", "7m")(copy.yaml), revision: copy.revision + 1, by: "bob" });
    await save(timeout("check", "9m"));
    for (let n = 0; n < 2; n++) act(() => editor.current.undo?.());
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    expect(copy.yaml).toBe(timeout("pay", "7m")(before));
    expect(editor.current.undo).toBeUndefined();
    // The same field.
    await save(timeout("read", "8m"));
    Object.assign(copy, { yaml: timeout("read", "5m")(copy.yaml), revision: copy.revision + 1, by: "bob" });
    await save(timeout("check", "9m"));
    for (let n = 0; n < 2; n++) act(() => editor.current.undo?.());
    expect(editor.current.said).toBe("Not undone, because it has changed since: Timeout");
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    expect(copy.yaml).toContain("5m");
  });
});

describe("discarding a draft", () => {
  const type = (editor: ReturnType<typeof edited>, value: string) =>
    act(() => editor.current.edit(timeout("read", value), "Timeout"));

  it("deletes it, and sends nothing that was typed last", async () => {
    const { copy, log } = server();
    const { result: editor, unmount } = opened();
    type(editor, "8m");
    await act(() => editor.current.discard());
    unmount();
    expect(copy.revision).toBe(0);
    expect(log.filter((sent) => sent.method === "PUT")).toEqual([]);
  });

  it("is refused when another person has changed it, and shows their change", async () => {
    const { copy } = server();
    Object.assign(copy, { yaml: timeout("pay", "7m")(before), revision: 2 });
    const editor = edited();
    await act(() => expect(editor.current.discard()).rejects.toThrow());
    expect(copy.revision).toBe(2);
    await waitFor(() => expect(editor.current.content.yaml).toContain("7m"));
    expect(editor.current.mergedFrom).toBe("bob");
    await act(() => editor.current.discard()); // having seen it
    expect(copy.revision).toBe(0);
  });

  for (const keep of [true, false])
    it(`is told to other editors, who ${keep ? "keep" : "leave"} theirs`, async () => {
      const { copy } = server();
      const { result: editor, client, unmount } = opened();
      copy.revision = 0;
      await act(() => client.invalidateQueries({ queryKey: keys.allDocuments }));
      await waitFor(() => expect(editor.current.gone).toBe(true));
      type(editor, "8m");
      act(() => editor.current.answerGone(keep));
      if (keep) await waitFor(() => expect(editor.current.save).toBe("saved"));
      unmount();
      expect(copy.yaml.includes("8m")).toBe(keep);
      expect(copy.revision).toBe(keep ? 1 : 0);
    });

  it("is noticed by the next save, which does not make it again", async () => {
    const { copy } = server();
    const editor = edited();
    copy.revision = 0;
    type(editor, "8m");
    await waitFor(() => expect(editor.current.gone).toBe(true));
    expect(copy.revision).toBe(0);
    expect(editor.current.save).toBe("failed");
  });
});

describe("whether a text is valid", () => {
  it("is asked again until there is an answer", async () => {
    let asked = 0;
    serve({
      "POST /api/v1/workflows/validate": () =>
        ++asked <= 5 ? problem(503, "unavailable") : { valid: true, problems: [], warnings: [] },
    });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const client = newQueryClient();
    client.setQueryData(keys.me, { name: "ann", roles: ["admin"], permissions: ["view", "admin"] });
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    );
    const { result } = renderHook(() => useValidation(before, true), { wrapper });
    await act(() => vi.advanceTimersByTimeAsync(60_000));
    await waitFor(() => expect(result.current.data?.valid).toBe(true));
    client.clear();
  });
});
