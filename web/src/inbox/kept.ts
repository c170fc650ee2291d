import { useState } from "react";

// Text from a closed dialog, restored when it opens again, for the lifetime of the page.
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
