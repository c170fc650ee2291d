export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const gap = 12;
const edge = 8;

/** Whether two boxes share an area. */
export const overlap = (a: Box, b: Box) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

/**
 * Where a card goes beside what it explains, within the window and clear of everything to avoid; undefined if there is
 * no place like that. The explained thing itself, and what should rather be seen, are covered only if there is no room.
 */
export function place(
  at: Box,
  card: Pick<Box, "width" | "height">,
  window: Box,
  avoid: Box[],
  rather: Box[] = [],
): Box | undefined {
  const right = window.left + window.width - card.width - edge;
  const bottom = window.top + window.height - card.height - edge;
  const within = (value: number, from: number, to: number) => Math.max(from, Math.min(to, value));
  const x = (left: number) => within(left, window.left + edge, right);
  const y = (top: number) => within(top, window.top + edge, bottom);
  const spots = [
    [at.left + at.width + gap, y(at.top)],
    [x(at.left), at.top + at.height + gap],
    [x(at.left), at.top - gap - card.height],
    [at.left - gap - card.width, y(at.top)],
    [right, window.top + edge],
    [right, bottom],
    [window.left + edge, bottom],
    [window.left + edge, window.top + edge],
  ].map(([left = 0, top = 0]) => ({ left, top, ...card }));
  const fits = (spot: Box) =>
    spot.left >= window.left + edge &&
    spot.top >= window.top + edge &&
    spot.left <= right &&
    spot.top <= bottom &&
    !avoid.some((one) => overlap(spot, one));
  const clear = (spot: Box) => fits(spot) && !overlap(spot, at);
  const quiet = (spot: Box) => clear(spot) && !rather.some((one) => overlap(spot, one));
  return spots.find(quiet) ?? spots.find(clear) ?? spots.find(fits);
}
