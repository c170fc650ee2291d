import { useMemo, useRef } from "react";
import { plain } from "../json";
import { type Source, sourcesOf } from "./model/catalog";
import { earlier } from "./model/flow";
import { lookUp, type Scope } from "./model/source";
import type { Studio } from "./studio";

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** What a step can refer to: its sources, and their values with the sample input, or in the test run if there is one. */
export function useScope(studio: Studio, step: string | undefined): { sources: Source[]; scope: Scope } {
  const { editor, catalog, input, test } = studio;
  // While a text is not valid, as it is typed, the last values are shown.
  const last = useRef(studio.preview);
  if (studio.preview) last.current = studio.preview;
  const preview = studio.preview ?? last.current;
  const { flow } = editor;
  const seen = useMemo(() => {
    const values = new Map<string, unknown>();
    for (const s of preview?.steps ?? []) if (s.output !== null) values.set(s.id, plain<unknown>(s.output));
    for (const s of test.run?.steps ?? []) if (s.output !== null) values.set(s.id, plain<unknown>(s.output));
    return values;
  }, [preview, test.run]);
  const sources = useMemo(() => {
    if (step !== undefined) return sourcesOf(flow, step, catalog, seen);
    // At the end of the run, everything is known.
    const last = { id: "", needs: flow.steps.map((s) => s.id) };
    return sourcesOf({ ...flow, steps: [...flow.steps, last] }, "", catalog, seen);
  }, [flow, step, catalog, seen]);
  const scope = useMemo((): Scope => {
    const before = new Set(step === undefined ? flow.steps.map((s) => s.id) : earlier(flow, step));
    const base: Scope = { input: parse(input), steps: new Map([...seen].filter(([id]) => before.has(id))) };
    const each = step === undefined ? undefined : flow.steps.find((s) => s.id === step)?.each;
    const list = each ? lookUp(each, base) : undefined;
    return { ...base, item: list?.kind === "value" && Array.isArray(list.value) ? list.value[0] : undefined };
  }, [flow, step, seen, input]);
  return { sources, scope };
}
