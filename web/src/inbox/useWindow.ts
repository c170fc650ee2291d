import { type RefObject, startTransition, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Roughly the part of the window's height that the list does not have. */
const besideList = 240;

/** Scrolling has stopped after this long without an event. */
const restMs = 120;

interface Options {
  count: number;
  /** Of each row: all have the same height, so positions are computed and nothing is measured. */
  height: number;
  /** The previous scroll position. */
  start: number;
  /** How many rows are drawn above and below the visible ones. */
  around: number;
  /** A row that stays drawn however far away: the one with the focus, which would otherwise be lost. */
  keep: number;
}

export interface Window {
  /** The first and last visible row. */
  first: number;
  last: number;
  /** All rows to draw, in order. */
  indexes: number[];
  /** Scrolls as little as needed to show a row. */
  show: (index: number) => void;
}

/** The rows of a long list that have to be drawn. */
export function useWindow(scroller: RefObject<HTMLElement | null>, options: Options): Window {
  const { count, height, start, around, keep } = options;
  // A guess until the box can be measured: then little has to be drawn again.
  const [{ top, room, quick }, setPlace] = useState<Place>(() => ({
    top: start,
    room: Math.max(height, innerHeight - besideList),
    quick: false,
  }));
  const known = useRef<Place>({ top, room, quick });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the start position is used once
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    if (start > 0) box.scrollTop = start;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const now = place(box, height, known.current);
      if (now === known.current) return;
      known.current = now;
      flushSync(() => setPlace(now)); // synchronously: otherwise fast scrolling shows blank space for a moment
      clearTimeout(rest);
      if (!now.quick) return;
      rest = setTimeout(() => {
        known.current = { ...known.current, quick: false };
        startTransition(() => setPlace(known.current));
      }, restMs);
    };
    box.addEventListener("scroll", look, { passive: true });
    const sizes = new ResizeObserver(look); // also reports the first size, once it is known
    sizes.observe(box);
    return () => {
      box.removeEventListener("scroll", look);
      sizes.disconnect();
      clearTimeout(rest);
    };
  }, [scroller, height]);

  const end = count - 1;
  const first = Math.max(0, Math.min(end, Math.floor(top / height)));
  const last = Math.max(0, Math.min(end, Math.ceil((top + room) / height) - 1));
  const more = quick ? 0 : around;
  const indexes: number[] = [];
  for (let i = Math.max(0, first - more); i <= Math.min(end, last + more); i++) indexes.push(i);
  if (keep >= 0 && keep <= end && !indexes.includes(keep)) {
    if (keep < first) indexes.unshift(keep);
    else indexes.push(keep);
  }
  return {
    first,
    last,
    indexes,
    show: (index) => {
      const box = scroller.current;
      if (!box) return;
      const above = index * height;
      if (above < box.scrollTop) box.scrollTop = above;
      else if (above + height > box.scrollTop + box.clientHeight) box.scrollTop = above + height - box.clientHeight;
    },
  };
}

interface Place {
  top: number;
  room: number;
  /** Scrolling by more than a screen at a time: rows just beyond are gone before they could be seen. */
  quick: boolean;
}

/** The position of the box. Unless the visible rows change, nothing changes and nothing is drawn. */
function place(box: HTMLElement, height: number, was: Place): Place {
  const top = Math.max(0, box.scrollTop);
  const room = box.clientHeight;
  const more = Math.ceil((was.top + was.room) / height) - Math.ceil((top + room) / height); // than are visible
  const same = Math.floor(top / height) === Math.floor(was.top / height) && (more === 0 || more === 1);
  return same ? was : { top, room, quick: Math.abs(top - was.top) > room };
}
