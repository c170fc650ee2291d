import { useSyncExternalStore } from "react";

/** Whether the tour is on the screen: requested by the user, offered or shown with this approval, or neither. */
export type TourState = { on: false; wanted: boolean } | { on: true; approval: string; offered: boolean };

let state: TourState = { on: false, wanted: false };
const listeners = new Set<() => void>();

function set(next: TourState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** The user asks for the tour; it starts once there is something to show. */
export const takeTour = () => set({ on: false, wanted: true });
export const showTour = (approval: string) => set({ on: true, approval, offered: false });
/** Offers the tour to a user who did not ask for it. */
export const offerTour = (approval: string) => set({ on: true, approval, offered: true });
export const leaveTour = () => set({ on: false, wanted: false });

export function useTourState(): TourState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

// The names of users who have finished or closed the tour in this browser; "*" stands for everyone.
const key = "assent.tour";

function names(): unknown[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(read) ? read : [];
  } catch {
    return []; // storage is blocked, or its content is not ours
  }
}

/** Whether the tour is over for a user. */
export function hadTour(name: string): boolean {
  const had = names();
  return had.includes(name) || had.includes("*");
}

const namesMax = 50;

export function endTour(name: string): void {
  try {
    const others = names().filter((one) => one !== name);
    localStorage.setItem(key, JSON.stringify([...others, name].slice(-namesMax)));
  } catch {
    // Then it is over until the page is loaded again.
  }
}
