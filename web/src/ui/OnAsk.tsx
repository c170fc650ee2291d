import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, Suspense, useState } from "react";
import type { ButtonProps } from "./Button";

/**
 * A button that becomes a menu on demand: the menu code is not loaded earlier. children is the menu, lazily loaded and
 * initially open, with a button that looks the same.
 */
export function OnAsk({ trigger, children }: { trigger: ReactElement<ButtonProps>; children: ReactNode }) {
  const [asked, setAsked] = useState(false);
  const ask = () => setAsked(true);
  const button = cloneElement(trigger, {
    "aria-haspopup": "menu",
    onClick: ask,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" && event.key !== " " && event.key !== "ArrowDown") return;
      event.preventDefault();
      ask();
    },
  });
  return asked ? <Suspense fallback={button}>{children}</Suspense> : button;
}
