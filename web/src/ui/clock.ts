import { createContext, useContext, useSyncExternalStore } from "react";

// One clock for all times on the page: they change together, once a second, and only while the page is visible.

let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();
/** The first view, if drawn within this time, shows the next second at the next tick, and is not drawn again at once. */
const drawnMs = 2000;
let first = false;

/** Sets the clock, before the first view is drawn. */
export function setClock(): void {
  now = Date.now();
  first = true;
}

function tick() {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    if (!first || Date.now() - now > drawnMs) now = Date.now();
    first = false;
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

/** The result of select on the current time, every second; renders only when it changes. */
export function useClock<T extends string | number | boolean>(select: (now: number) => T): T {
  const fixed = useContext(FixedClock);
  return useSyncExternalStore(fixed === undefined ? subscribe : resting, () => select(fixed ?? now));
}

/** Stops the clock below it at this time (in milliseconds), for past states. */
export const FixedClock = createContext<number | undefined>(undefined);

const resting = () => () => {};
