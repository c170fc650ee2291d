import { useQuery } from "@tanstack/react-query";
import { api, data } from "./client";
import { keys } from "./queries";
import type { Approval, Run, RunSummary } from "./types";

/** A pending approval in a sub-run. */
export interface Below {
  approval: Approval;
  /** The direct sub-run that contains it, at any depth. */
  child: string;
}

export interface OpenBelow {
  items: Below[];
  /** The full count; items may be fewer. */
  total: number;
}

const levels = 5;
/** Sub-runs whose approvals are fetched. A list step can have thousands of sub-runs; people decide one at a time. */
const asked = 12;
const pageMax = 200;

/** Approvals that a run waits for in its sub-runs, at any depth. */
export function useOpenBelow(run: Pick<Run, "id" | "steps" | "ended_at">): OpenBelow | undefined {
  const has = run.ended_at === null && run.steps.some((s) => s.kind === "workflow" && s.status === "running");
  const { data: found } = useQuery({
    queryKey: keys.approvalsBelow(run.id),
    queryFn: ({ signal }) => readBelow(run.id, signal),
    enabled: has,
  });
  return has ? found : undefined;
}

async function readBelow(id: string, signal: AbortSignal): Promise<OpenBelow> {
  const waiting: { run: RunSummary; child: string }[] = [];
  let level = [{ id, child: "" }];
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    const found = (await Promise.all(level.map((parent) => subRuns(parent, signal)))).flat();
    waiting.push(...found.filter(({ run }) => run.pending > 0));
    // A waiting run without approvals of its own is waiting for its sub-runs.
    level = found
      .filter(({ run }) => run.pending === 0)
      .slice(0, asked)
      .map(({ run, child }) => ({ id: run.id, child }));
  }
  const items = await Promise.all(waiting.slice(0, asked).map((one) => openOf(one, signal)));
  return { items: items.flat(), total: waiting.reduce((sum, { run }) => sum + run.pending, 0) };
}

async function subRuns(parent: { id: string; child: string }, signal: AbortSignal) {
  const query = { parent: parent.id, status: ["waiting" as const, "running" as const], limit: pageMax };
  const { items } = await data(api.GET("/api/v1/runs", { params: { query }, signal }));
  return items.reverse().map((run) => ({ run, child: parent.child || run.id })); // oldest first
}

async function openOf({ run, child }: { run: RunSummary; child: string }, signal: AbortSignal): Promise<Below[]> {
  const query = { run: run.id, status: ["pending" as const], sort: "age" as const, limit: pageMax };
  const { items } = await data(api.GET("/api/v1/approvals", { params: { query }, signal }));
  return items.map((approval) => ({ approval, child }));
}

/** The ancestors of a sub-run, nearest first: a sub-run's id is its parent's id and a number. */
export function above(id: string): string[] {
  const out: string[] = [];
  for (let end = id.lastIndexOf("."); end > 0; end = id.lastIndexOf(".", end - 1)) out.push(id.slice(0, end));
  return out;
}
