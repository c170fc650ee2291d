import { useMemo } from "react";
import { useWorkflowVersion } from "../api";
import type { Run } from "../api/types";
import { type Gate, gatesOf } from "./plan";

/** The gates of the version that a run is bound to; none while they are being read. */
export function useGates(run: Pick<Run, "workflow" | "version"> | undefined): Gate[] {
  const { data } = useWorkflowVersion(run?.workflow, run?.version);
  return useMemo(() => gatesOf(data?.definition), [data]);
}
