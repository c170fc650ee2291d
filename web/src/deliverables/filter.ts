import type { Deliverable, DeliverableFilter } from "../api/types";
import type { Search } from "../router";

export const types = ["document", "code", "data", "media", "other"] as const;
export const statuses = ["draft", "final", "archived"] as const;
export type Status = (typeof statuses)[number];

/** How long ago they were created, as the server reads it. */
export const periods = {
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "90d": "Last 90 days",
  "365d": "Last year",
} as const;

const known = <T extends string>(all: readonly T[], value: string | undefined) =>
  all.includes(value as T) ? (value as T) : undefined;

/** The filter in the URL; unknown values are dropped. */
export function filterOf(search: Search): DeliverableFilter {
  return {
    agent: search.agent,
    run: search.run,
    type: known(types, search.type),
    status: known(statuses, search.status),
    since: known(Object.keys(periods), search.since),
  };
}

export interface Group {
  run: string;
  workflow: string;
  /** When the newest of them was created. */
  at: string;
  items: Deliverable[];
}

/** Grouped by run, in the order of the list. */
export function byRun(items: Deliverable[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const group = groups.get(item.run);
    if (group) group.items.push(item);
    else groups.set(item.run, { run: item.run, workflow: item.workflow, at: item.created_at, items: [item] });
  }
  return [...groups.values()];
}
