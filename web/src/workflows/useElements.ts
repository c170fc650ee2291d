import { useStoreApi } from "@xyflow/react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Box } from "../graph/view";
import { isNear, towards } from "./near";

const none: ReadonlySet<string> = new Set();

/**
 * Which of many nodes are elements of the page: those in view at a size that can be read, and those in use. They come
 * and go over several frames, and until then they are painted. Undefined if boxes is: all are.
 */
export function useElements(
  boxes: ReadonlyMap<string, Box> | undefined,
  readableFrom: number,
  used: readonly (string | undefined)[],
): ReadonlySet<string> | undefined {
  const store = useStoreApi();
  const [inView, setInView] = useState(none);
  const latest = useRef(none);
  useEffect(() => {
    if (!boxes) return;
    let frame = 0;
    const soon = () => {
      frame ||= requestAnimationFrame(next);
    };
    const next = () => {
      frame = 0;
      const { transform, width, height } = store.getState();
      const view = { x: transform[0], y: transform[1], zoom: transform[2] };
      const wanted = new Set<string>();
      if (view.zoom >= readableFrom)
        for (const [id, box] of boxes) if (isNear(box, view, { width, height })) wanted.add(id);
      const now = towards(latest.current, wanted);
      if (now === latest.current) return;
      latest.current = now;
      setInView(now);
      soon();
    };
    soon();
    const stop = store.subscribe((now, before) => {
      if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height) soon();
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [boxes, readableFrom, store]);
  const key = used.filter((id) => id !== undefined).join("\n");
  return useMemo(
    () => (boxes ? new Set([...inView, ...key.split("\n")].filter((id) => boxes.has(id))) : undefined),
    [boxes, inView, key],
  );
}
