import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, Suspense, useState } from "react";
import type { ButtonProps } from "./Button";

/**
 * A button that becomes a menu when it is asked for: what draws menus is not loaded before. children is the menu,
 * lazily loaded and open from the beginning, with a button that looks the same.
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
