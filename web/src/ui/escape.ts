import type { KeyboardEvent as ReactKeyboardEvent } from "react";

const left = new WeakSet<Event>();

/** For toasts, which would take Escape because they opened last: with the focus in a dialog, the dialog closes. */
export function leaveToDialog(event: KeyboardEvent): void {
  if (!document.activeElement?.closest("[role=dialog]")) return;
  left.add(event);
  event.preventDefault();
}

/** For dialogs: what is open over a field, marked with data-escape, closes first, and with the next Escape the dialog. */
export function leaveToList(event: KeyboardEvent): void {
  if (document.activeElement?.matches("[data-escape]")) event.preventDefault();
}

/** For dialogs: closes on the Escape that a toast left to them. Every other one is handled by Radix. */
export const closeOnLeft =
  (onOpenChange: (open: boolean) => void) =>
  (event: ReactKeyboardEvent): void => {
    if (!left.delete(event.nativeEvent)) return; // the innermost dialog only
    onOpenChange(false);
  };
