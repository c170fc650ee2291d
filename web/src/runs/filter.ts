import type { RunFilter, RunStatus } from "../api/types";
import { runStatus } from "../words";

/** The filters in the URL. since is a condition of views only: runs that started on or after that day. */
export interface Chosen {
  /** Words in names and subjects. */
  q: string;
  status: RunStatus[];
  workflow: string;
  owner: string;
  label: string[];
  /** "today": only runs that started today. The list ends there. */
  since: string;
}

type Search = Record<string, string | undefined>;

const isStatus = (text: string): text is RunStatus => text in runStatus;
const split = (text: string | undefined) =>
  (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);

export function chosenOf(search: Search): Chosen {
  return {
    q: search.q?.trim() ?? "",
    status: split(search.status).filter(isStatus),
    workflow: search.workflow ?? "",
    owner: search.owner ?? "",
    label: split(search.label),
    since: search.since === "today" ? "today" : "",
  };
}

export function searchOf(chosen: Chosen): Search {
  return {
    q: chosen.q || undefined,
    status: chosen.status.join(",") || undefined,
    workflow: chosen.workflow || undefined,
    owner: chosen.owner || undefined,
    label: chosen.label.join(",") || undefined,
    since: chosen.since || undefined,
  };
}

/** The filter sent to the server. */
export function filterOf(chosen: Chosen): Omit<RunFilter, "cursor"> {
  return {
    q: chosen.q || undefined,
    status: chosen.status.length > 0 ? chosen.status : undefined,
    workflow: chosen.workflow || undefined,
    owner: chosen.owner || undefined,
    label: chosen.label.length > 0 ? chosen.label : undefined,
    limit: 100,
  };
}

export function isFiltered(chosen: Chosen): boolean {
  return Object.values(searchOf(chosen)).some((value) => value !== undefined);
}

/** A view is a filter with a name. */
export interface View {
  name: string;
  search: Search;
  /** Built in, and cannot be removed. */
  builtIn?: true;
}

export const builtIn: View[] = [
  { name: "All", search: {}, builtIn: true },
  { name: "Needs people", search: { status: "waiting,paused" }, builtIn: true },
  { name: "Running", search: { status: "running" }, builtIn: true },
  { name: "Failed today", search: { status: "failed,limit_reached", since: "today" }, builtIn: true },
];

const place = "assent.runs.views";

export function loadViews(): View[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(place) ?? "[]");
    if (!Array.isArray(read)) return [];
    return read.filter(
      (v): v is View => typeof v?.name === "string" && typeof v?.search === "object" && v.search !== null,
    );
  } catch {
    return [];
  }
}

/** Full or forbidden storage is not a failure: the view lasts until the page is closed. */
export function saveViews(views: View[]): void {
  try {
    localStorage.setItem(place, JSON.stringify(views));
  } catch {
    // It is still in memory.
  }
}

/** Whether the filters match a view. */
export function shows(view: View, chosen: Chosen): boolean {
  return JSON.stringify(searchOf(chosenOf(view.search))) === JSON.stringify(searchOf(chosen));
}

/** The start of today in local time. */
export function today(now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
}
