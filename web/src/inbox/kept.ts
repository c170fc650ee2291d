import { useState } from "react";

// What was written into a dialog that was closed again: it is there when the dialog is, as long as the page lives.
const texts = new Map<string, string>();

/** Forgets one, or all. */
export function forgetKept(name?: string): void {
  if (name === undefined) texts.clear();
  else texts.delete(name);
}

/** A text that outlives its field. */
export function useKept(name: string): [text: string, set: (text: string) => void] {
  const [text, setText] = useState(() => texts.get(name) ?? "");
  return [
    text,
    (next) => {
      setText(next);
      if (next.trim() === "") texts.delete(name);
      else texts.set(name, next);
    },
  ];
}
