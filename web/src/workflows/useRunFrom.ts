import { useCallback, useState } from "react";
import { getRunEvents, useForkRun } from "../api";
import type { Event, Run } from "../api/types";
import { plain, type Raw, raw } from "../json";
import { earlier, needsOf } from "./model/flow";
import { stepTitle } from "./say";
import type { Test } from "./studio";
import type { Editor } from "./useEditor";

/** The event after which a step could begin: the last of those it needs has ended. */
export function beforeStep(events: readonly Event[], needs: readonly string[]): number | undefined {
  let at = events[0]?.seq;
  for (const need of needs) {
    const ended = events.findLast(
      (e) =>
        (e.type === "step.completed" || e.type === "step.skipped") && plain<{ step?: string }>(e.data)?.step === need,
    );
    if (!ended || at === undefined) return undefined;
    at = Math.max(at, ended.seq);
  }
  return at;
}

/**
 * Repeats a test run from a step on: a fork of it, so it is a test run as well, and gates and rules ask as before. The
 * outputs of steps before it may be replaced by pinned ones.
 */
export function useRunFrom(
  editor: Editor,
  run: Run | undefined,
  onRun: (id: string) => void,
): Omit<Test, "run" | "stale"> {
  const [pins, setPins] = useState<Readonly<Record<string, string>>>({});
  const [failure, setFailure] = useState<unknown>();
  const [reading, setReading] = useState(false);
  const fork = useForkRun(run?.id ?? "");
  const { flow, say } = editor;
  const pin = useCallback(
    (step: string, output: string | undefined) =>
      setPins((all) => {
        const { [step]: _, ...rest } = all;
        return output === undefined ? rest : { ...rest, [step]: output };
      }),
    [],
  );
  const from = async (step: string) => {
    if (!run?.test_mode) return;
    setFailure(undefined);
    setReading(true);
    try {
      const index = flow.steps.findIndex((s) => s.id === step);
      const at = beforeStep(await getRunEvents(run.id), needsOf(flow, index));
      if (at === undefined) {
        say(`The test run did not reach ${stepTitle({ id: step })}`);
        return;
      }
      const before = new Set(earlier(flow, step));
      const outputs: Record<string, Raw> = {};
      for (const [id, text] of Object.entries(pins)) if (before.has(id)) outputs[id] = raw(text);
      const edits = Object.keys(outputs).length > 0 ? { outputs } : undefined;
      const next = await fork.mutateAsync({ at_seq: at, ...(edits ? { edits } : {}) } as Parameters<
        typeof fork.mutateAsync
      >[0]);
      onRun(next.id);
      say(`The test runs again from ${stepTitle({ id: step })}`);
    } catch (error) {
      setFailure(error);
    } finally {
      setReading(false);
    }
  };
  return { pins, pin, from: (step) => void from(step), busy: reading || fork.isPending, failure };
}
