import { readdirSync } from "node:fs";
import { join } from "node:path";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { type Node, parse, parseDocument } from "yaml";
import { serve } from "../../test/page";
import { newQueryClient } from "../api/queries";
import type { Path } from "../yaml/splice";
import { setFlow, setGate, setStep } from "./model/edit";
import { type Flow, readFlow } from "./model/flow";
import { placesOf, planOfFlow } from "./model/place";
import { choices, files, written } from "./model/testing";
import { useEditor } from "./useEditor";

// A workflow is opened, a node is moved, a field is edited, and both are saved: the text differs in exactly that.

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Edit {
  /** Its path in the document. */
  path: Path;
  value: unknown;
  by: (yaml: string) => string;
}

const values = ["7m", "It is: “good” 🙂", "a # b", 'say "x"', "it's", "- no list", "true", "12", "x, y", "{z}"];

/** A field that a form sets, changes or removes. */
function edited(flow: Flow, { one, chance }: ReturnType<typeof choices>): Edit {
  const step = one(flow.steps);
  const gate = flow.gates.length > 0 ? one(flow.gates) : undefined;
  const at = flow.steps.indexOf(step);
  const own = ["timeout", "title", "risk", "if", "operation"].filter((key) => step[key] !== undefined);
  const inStep = (path: Path, value: unknown): Edit => ({
    ...{ path: ["steps", at, ...path], value },
    by: (yaml) => setStep(yaml, step.id, path, value),
  });
  const mapped = Object.keys(step.with ?? {});
  if (mapped.length > 0 && chance(0.3)) return inStep(["with", one(mapped)], one([...values, "input.amount"]));
  if (own.length > 0 && chance(0.2)) return inStep([one(own)], undefined);
  if (gate && chance(0.3)) {
    const path = [one(["title", "description", "role"])];
    const value = one(values);
    const by = (yaml: string) => setGate(yaml, gate.id, path, value);
    return { path: ["gates", flow.gates.indexOf(gate), ...path], value, by };
  }
  if (chance(0.1)) {
    const [path, value] = [["description"], one(values)];
    return { path, value, by: (yaml) => setFlow(yaml, path, value) };
  }
  const [path, value] = one([
    [[one(["timeout", "title", "risk", "if", "operation"])], one(values)],
    [["retry", "max"], 9],
    [["with", "extra"], one(values)],
    [["width"], 4],
  ] as [Path, unknown][]);
  return inStep(path, value);
}

/** The document with that edit. */
function expected(text: string, { path, value }: Edit): unknown {
  const all = structuredClone(parse(text));
  let inside = all;
  for (const key of path.slice(0, -1)) inside = inside[key] ??= {};
  const key = path.at(-1) as string;
  if (value === undefined) delete inside[key];
  else inside[key] = value;
  return all;
}

/** What one text has in place of what the other one has, between what both begin and what both end with. */
function differing(before: string, after: string): { gone: string; come: string } {
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) from++;
  let end = 0;
  const least = Math.min(before.length, after.length) - from;
  while (end < least && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { gone: before.slice(from, before.length - end), come: after.slice(from, after.length - end) };
}

/** Fails unless the texts differ in exactly that edit. */
function differsInThat(before: string, after: string, edit: Edit): void {
  const what = `${edit.path.join(".")} = ${edit.value}\n${after}`;
  expect(parse(after), what).toEqual(expected(before, edit));
  const { gone, come } = differing(before, after);
  const old = parseDocument(before).getIn(edit.path, true) as Node | undefined;
  const lines = old?.range ? before.slice(old.range[0], old.range[1]).split("\n").length : 1;
  if (old === undefined) expect(gone, what).toBe("");
  else if (edit.value === undefined) expect(gone.match(/\n/g)?.length ?? 0, what).toBeLessThanOrEqual(lines + 1);
  else if (lines === 1) expect(gone, what).not.toMatch(/[\r\n]|\s#/);
  expect(come.match(/\n/g)?.length ?? 0, what).toBeLessThanOrEqual(lines + 1);
  if (before.includes("\r\n")) expect(after.replaceAll("\r\n", ""), what).not.toMatch(/[\r\n]/);
}

const flowOf = (text: string): Flow => readFlow(text).flow ?? expect.fail(`not read:\n${text}`);
const made = (seed: number) => (seed % 4 === 3 ? written(seed).replaceAll("\n", "\r\n") : written(seed));

it("has every workflow of the examples", () => {
  const examples = join(import.meta.dirname, "../../../examples");
  const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect([...new Set(files.flatMap(({ name }) => /^examples\/([^/]+)\//.exec(name)?.[1] ?? []))].sort()).toEqual(
    folders.map(({ name }) => name).sort(),
  );
});

it.each([...files, ...Array.from({ length: 24 }, (_, seed) => ({ name: `generated ${seed}`, text: made(seed) }))])(
  "$name: a node is moved and a field edited, and nothing else is saved",
  async ({ text }) => {
    const flow = flowOf(text);
    const chosen = choices(text.length);
    const edit = edited(flow, chosen);
    const saved = { yaml: text, layout: {} as Record<string, { x: number; y: number }>, revision: 1 };
    serve({
      "PUT /api/v1/workflows/made/working_copy": ({ body }) => {
        const { yaml, layout, revision } = JSON.parse(body);
        return Object.assign(saved, { yaml, layout, revision: revision + 1 });
      },
    });
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const client = newQueryClient();
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    );
    const loaded = { content: { yaml: text, layout: {}, samples: [] }, base: 1, revision: 1, by: "" };
    const { result: editor } = renderHook(() => useEditor("made", loaded, true), { wrapper });
    const drawn = Object.fromEntries(placesOf(planOfFlow(flow), {}, new Map()));
    const node = chosen.one(Object.keys(drawn));
    act(() => editor.current.set({ layout: { ...drawn, [node]: { x: 777, y: 77 } } }, "Move"));
    act(() => editor.current.edit(edit.by, "Edit"));
    await act(() => vi.advanceTimersByTimeAsync(800));
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    differsInThat(text, saved.yaml, edit);
    expect(saved.layout).toEqual({ ...drawn, [node]: { x: 777, y: 77 } });
    // Opened again, everything is where it was.
    expect(Object.fromEntries(placesOf(planOfFlow(flowOf(saved.yaml)), saved.layout, new Map()))).toEqual(saved.layout);
    for (let n = 0; n < 2; n++) act(() => editor.current.undo?.());
    await act(() => vi.advanceTimersByTimeAsync(800));
    await waitFor(() => expect(editor.current.save).toBe("saved"));
    expect([saved.yaml, saved.layout]).toEqual([text, {}]);
  },
);

it("holds for many generated workflows and fields", () => {
  for (let seed = 100; seed < 400; seed++) {
    const text = made(seed);
    const edit = edited(flowOf(text), choices(seed * 7));
    differsInThat(text, edit.by(text), edit);
  }
});
