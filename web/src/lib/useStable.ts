import { useLayoutEffect, useRef, useState } from "react";

type Doings = { [name: string]: (...args: never[]) => unknown };

/** A permanent object whose functions call the latest ones: memoized children need not render again. */
export function useStable<T extends { [K in keyof T]: (...args: never[]) => unknown }>(functions: T): T {
  const latest = useRef(functions);
  // Before the page is painted: a click finds the functions that belong to what it shows.
  useLayoutEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(functions).map((name) => [name, (...args: never[]) => (latest.current as Doings)[name]?.(...args)]),
    ),
  );
  return stable as T;
}
