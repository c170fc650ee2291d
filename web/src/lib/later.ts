import { startTransition, useEffect, useState } from "react";

/** The first view has this long for itself. */
const firstMs = 1000;

/** Calls back when the first view stands and the browser has nothing better to do; gives a way to call it off. */
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

/** Whether the first view stands: what is nice to have beside it is asked for after that, and drawn in pieces. */
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
