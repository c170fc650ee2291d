import { createContext, useContext, useSyncExternalStore } from "react";

// One clock for all times on the page: they change together, once a second,
// and only while somebody looks.

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick() {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, 1000);
    document.addEventListener("visibilitychange", tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
      document.removeEventListener("visibilitychange", tick);
    }
  };
}

/** What select makes of the time, anew each second; renders only when that changes. */
export function useClock<T extends string | number | boolean>(select: (now: number) => T): T {
  const fixed = useContext(FixedClock);
  return useSyncExternalStore(fixed === undefined ? subscribe : resting, () => select(fixed ?? now));
}

/** Below it the clock stands still at this time (in milliseconds): for what is shown as it was. */
export const FixedClock = createContext<number | undefined>(undefined);

const resting = () => () => {};
