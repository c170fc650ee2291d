import { useEffect, useRef, useState } from "react";

type Doings = { [name: string]: (...args: never[]) => unknown };

/** The same object for ever, whose functions do what the latest ones do: memoized children need not draw again. */
export function useStable<T extends { [K in keyof T]: (...args: never[]) => unknown }>(functions: T): T {
  const latest = useRef(functions);
  useEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(functions).map((name) => [name, (...args: never[]) => (latest.current as Doings)[name]?.(...args)]),
    ),
  );
  return stable as T;
}
