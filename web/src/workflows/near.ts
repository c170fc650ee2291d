import type { Box, Size, View } from "../graph/view";

/** How far around the pane nodes are drawn in full, in pixels. */
const around = 40;
/** So many nodes become elements in one frame, and so many cease to be: more of them would be felt in a move. */
const comeMax = 6;
const goMax = 12;

/** Whether a box is in the pane, or just beside it. */
export function isNear(box: Box, { x, y, zoom }: View, pane: Size): boolean {
  const left = box.x * zoom + x;
  const top = box.y * zoom + y;
  return (
    left + box.width * zoom > -around &&
    left < pane.width + around &&
    top + box.height * zoom > -around &&
    top < pane.height + around
  );
}

/** The next set on the way from one to another; the same one if it is there. */
export function towards(now: ReadonlySet<string>, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const come = [...wanted].filter((id) => !now.has(id)).slice(0, comeMax);
  const go = [...now].filter((id) => !wanted.has(id)).slice(0, goMax);
  if (come.length === 0 && go.length === 0) return now;
  const gone = new Set(go);
  return new Set([...[...now].filter((id) => !gone.has(id)), ...come]);
}
