import { type MouseEvent, type ReactNode, useEffect, useState } from "react";

/** As long as the second of two hasty clicks may take, and the eye to see that something else stands there. */
const calmMs = 700;

/**
 * What has just come to stand where something else was takes no click for a moment: nobody decides the next thing with
 * the second half of a double click. face names what stands there. Keys pass: they name what they do.
 */
export function Calm({ face, children }: { face: string; children: ReactNode }) {
  const [known, setKnown] = useState(face);
  const [calm, setCalm] = useState(true);
  if (known !== face) {
    setKnown(face);
    setCalm(true);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins anew with what stands there
  useEffect(() => {
    const timer = setTimeout(() => setCalm(false), calmMs);
    return () => clearTimeout(timer);
  }, [known]);
  const hold = (event: MouseEvent) => {
    // Dialogs opened from here are elsewhere on the page; detail is 0 for a press by keyboard.
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
