import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { later } from "../lib/later";
import type { Shown, ToastOptions } from "./ToastList";

let shown: readonly Shown[] = [];
let nextId = 1;
const listeners = new Set<() => void>();
const shownMax = 4;

function set(next: readonly Shown[]) {
  shown = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a toast. Returns a function that removes it. */
export function toast(options: ToastOptions): () => void {
  const id = add(options);
  return () => dismiss(id);
}

function add(options: ToastOptions): number {
  const id = nextId++;
  // Those that stay until they are dismissed do not make room for passing ones.
  const over = shown.filter((t) => !stays(t)).slice(0, -(shownMax - 1));
  set([...shown.filter((t) => !over.includes(t)), { ...options, id }]);
  return id;
}

const stays = (t: ToastOptions) => t.ms === Number.POSITIVE_INFINITY;

/** One toast that stays, and whose words change in place. */
export function standingToast() {
  let id = 0;
  const isOpen = () => shown.some((t) => t.id === id);
  return {
    /** Whether it is there: the user may have dismissed it. */
    isOpen,
    show: (options: Omit<ToastOptions, "ms">, isNew: boolean) => {
      const one = { ...options, ms: Number.POSITIVE_INFINITY };
      if (isOpen() && !isNew) return set(shown.map((t) => (t.id === id ? { ...one, id } : t)));
      dismiss(id);
      id = add(one);
    },
    close: () => dismiss(id),
  };
}

function dismiss(id: number): void {
  if (shown.some((t) => t.id === id)) set(shown.filter((t) => t.id !== id));
}

/** What is shown; for tests. */
export const toastTitles = () => shown.map((t) => t.title);

/** Removes all of them; for tests, which share a page. */
export const forgetToasts = () => set([]);

const ToastList = lazy(() => import("./ToastList"));

/** Where toasts appear; used once, around everything. The code that draws them is loaded after the first view. */
export function Toasts({ children }: { children: ReactNode }) {
  const list = useSyncExternalStore(subscribe, () => shown);
  const [ready, setReady] = useState(false);
  useEffect(() => later(() => setReady(true)), []);
  return (
    <>
      {children}
      <Suspense>{(ready || list.length > 0) && <ToastList list={list} onClose={dismiss} />}</Suspense>
    </>
  );
}
