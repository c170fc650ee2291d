import { useRef } from "react";

/** What can have the focus by Tab. */
const focusable =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

const lost = () => !document.activeElement || document.activeElement === document.body;

/** The element with the focus. For an item of a menu, which is about to close, the button of the menu. */
function holder(): HTMLElement | undefined {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || active === document.body) return undefined;
  const opener = active.closest("[role=menu]")?.getAttribute("aria-labelledby");
  return (opener ? document.getElementById(opener) : null) ?? active;
}

/** Gives the focus to the first of these that is still there, or to something in it. */
function give(path: readonly Element[]): void {
  for (const element of path) {
    if (!element.isConnected) continue;
    const [self] = path;
    const target = element === self || element.tagName === "MAIN" ? element : element.querySelector(focusable);
    if (!(target instanceof HTMLElement) || target.getClientRects().length === 0) continue;
    target.focus();
    if (document.activeElement === target) return;
  }
}

/** The element with the focus, or the page, and everything around it. */
function trail(): Element[] {
  const path: Element[] = [];
  for (let e: Element | null = holder() ?? document.querySelector("main"); e; e = e.parentElement) {
    if (e !== document.body && e !== document.documentElement) path.push(e);
  }
  return path;
}

/** How long a list may take to show that the row with the focus was removed. */
const removalMs = 10_000;

/** If that element goes within a moment, and the focus with it, gives it to the nearest one that is left. */
function giveWhenGone(element: Element | null, path: readonly Element[]): void {
  const watch = new MutationObserver(() => {
    if (element?.isConnected) return;
    watch.disconnect();
    if (lost()) give(path);
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), removalMs);
}

/** For buttons that go once they have done their work: the focus stays near them. Call it when one is pressed. */
export function keepFocus(): void {
  const path = trail();
  giveWhenGone(path[0] ?? null, path);
}

/**
 * Returns what gives the focus back when a dialog has closed: to the element that had it, or, if that is gone, to the
 * nearest one around it.
 */
export function useReturnFocus(open: boolean): (event: Event) => void {
  const path = useRef<Element[]>([]);
  const was = useRef(false);
  if (open && !was.current) path.current = trail();
  was.current = open;
  return (event) => {
    const kept = path.current;
    event.preventDefault();
    if (!lost()) return; // the page has chosen
    give(kept);
    giveWhenGone(document.activeElement, kept);
  };
}
