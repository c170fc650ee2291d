import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useWorkflows, useWorkflowVersion } from "../api";
import { runQuery } from "../api/runs";
import type { RunSummary } from "../api/types";
import { plain, type Raw } from "../json";
import { failedNames } from "../words/steps";

/** Rows that only scroll past are not fetched. */
const restMs = 300;

/**
 * The failed steps of a completed run, in words. Its list entry does not have them; they are fetched only if its
 * workflow continues after failures, which few do.
 */
export function useFailed(run: Pick<RunSummary, "id" | "workflow" | "version" | "status">): string {
  const completed = run.status === "completed";
  const { data: workflows, isFetched } = useWorkflows(completed);
  const published = workflows?.items.find((w) => w.name === run.workflow && w.version === run.version);
  const other = completed && isFetched && !published;
  const { data: version } = useWorkflowVersion(other ? run.workflow : undefined, run.version);
  const goes = completed && goesOn((published ?? version)?.definition);
  const stands = useRests(goes);
  const { data = "" } = useQuery({
    ...runQuery(run.id),
    enabled: goes && stands,
    staleTime: Number.POSITIVE_INFINITY, // it has ended
    select: ({ steps }) => failedNames(steps),
  });
  return data;
}

/** Whether a run of this workflow can complete even though a step failed. */
export function goesOn(definition: Raw | null | undefined): boolean {
  const read = plain<{ stop_on_error?: boolean; loops?: { agent?: { at?: string } } }>(definition);
  return read?.stop_on_error === false || read?.loops?.agent?.at === "on_error";
}

function useRests(wanted: boolean): boolean {
  const [rests, setRests] = useState(false);
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => setRests(true), restMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  return rests;
}
