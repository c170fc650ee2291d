import { useMemo } from "react";
import { useWorkflowVersion } from "../api";
import type { Run } from "../api/types";
import { type Gate, gatesOf } from "./plan";

/** The gates of the workflow version that a run uses; undefined while loading, empty if loading fails. */
export function useGates(run: Pick<Run, "workflow" | "version"> | undefined): Gate[] | undefined {
  const { data, isPending, failureCount } = useWorkflowVersion(run?.workflow, run?.version);
  const reading = isPending && failureCount === 0;
  return useMemo(() => (reading ? undefined : gatesOf(data?.definition)), [reading, data]);
}
