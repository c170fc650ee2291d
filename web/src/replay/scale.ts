import type { Event } from "../api/types";
import { stay } from "./player";

/** The positions of a log's events on the scrubber, from 0 to 1. */
export interface Scale {
  place: (seq: number) => number;
  /** The event nearest to a position. */
  seqAt: (share: number) => number;
}

/**
 * Spaced by the time that playing takes, so that the handle moves evenly: by time, with skipped waits shortened. Events
 * of a partly loaded log are spaced evenly, because its duration is not known yet.
 */
export function scaleOf(events: Event[], last: number, skipWaits: boolean): Scale {
  const starts = startsOf(events, last, skipWaits);
  const whole = starts.at(-1) || 1;
  return {
    place: (seq) => (starts[seq - 1] ?? 0) / whole,
    seqAt: (share) => nearest(starts, Math.min(1, Math.max(0, share)) * whole) + 1,
  };
}

function startsOf(events: Event[], last: number, skipWaits: boolean): number[] {
  if (events.length !== last) return Array.from({ length: last }, (_, i) => i);
  let at = 0;
  return events.map((event, i) => {
    const before = events[i - 1];
    if (before) at += stay(Date.parse(event.at) - Date.parse(before.at), 1, skipWaits);
    return at;
  });
}

function nearest(ascending: number[], wanted: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = ascending[low - 1];
  return before !== undefined && wanted - before < (ascending[low] as number) - wanted ? low - 1 : Math.max(0, low);
}
