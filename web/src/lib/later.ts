import { startTransition, useEffect, useState } from "react";

/** Reserved for the first view. */
const firstMs = 1000;

/** Calls back when the first view is drawn and the browser is idle; returns a function that cancels it. */
export function later(run: () => void): () => void {
  let idle: number | undefined;
  const can = typeof requestIdleCallback !== "undefined";
  const wait = can ? Math.max(0, firstMs - performance.now()) : 0;
  const timer = setTimeout(() => {
    if (can) idle = requestIdleCallback(run, { timeout: 2000 });
    else run();
  }, wait);
  return () => {
    clearTimeout(timer);
    if (idle !== undefined) cancelIdleCallback(idle);
  };
}

let stands = false;

/** Whether the first view is drawn: optional data is fetched after that, and drawn in pieces. */
export function useStands(): boolean {
  const [known, setKnown] = useState(stands);
  useEffect(() => {
    if (known) return;
    return later(() => {
      stands = true;
      startTransition(() => setKnown(true));
    });
  }, [known]);
  return known;
}

/** Lets the browser handle input and paint in between. */
export function taskOfItsOwn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
