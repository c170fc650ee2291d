export const speeds = [1, 4, 16] as const;
export type Speed = (typeof speeds)[number];

const shortest = 160; // milliseconds an event stays, at 1×: less is too fast to follow
const waitFrom = 1500; // a gap this long is a wait
const skipped = 500; // what is left of a skipped wait

/** How long to stay at an event before the next one, in milliseconds. */
export function stay(gapMs: number, speed: Speed, skipWaits: boolean): number {
  const gap = skipWaits && gapMs > waitFrom ? skipped : Math.max(0, gapMs);
  return Math.max(shortest, gap) / speed;
}
