import { type MouseEvent, type ReactNode, useEffect, useState } from "react";

/** Long enough for the second click of a hasty pair, and for the eye to notice that the content changed. */
export const calmMs = 700;

/**
 * Ignores clicks for a moment after its content changed, so that the second half of a double click cannot decide the
 * next approval. face names the content. Keys pass: each names its action.
 */
export function Calm({ face, children }: { face: string; children: ReactNode }) {
  const [known, setKnown] = useState(face);
  const [calm, setCalm] = useState(true);
  if (known !== face) {
    setKnown(face);
    setCalm(true);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: restarts when the content changes
  useEffect(() => {
    const timer = setTimeout(() => setCalm(false), calmMs);
    return () => clearTimeout(timer);
  }, [known]);
  const hold = (event: MouseEvent) => {
    // Dialogs opened from here are elsewhere in the DOM; detail is 0 for a key press.
    if (!calm || event.detail === 0 || !event.currentTarget.contains(event.target as Node)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div onClickCapture={hold} className={calm ? "pointer-events-none" : undefined}>
      {children}
    </div>
  );
}
