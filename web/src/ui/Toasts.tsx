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
  const id = nextId++;
  set([...shown, { ...options, id }].slice(-shownMax));
  return () => dismiss(id);
}

function dismiss(id: number): void {
  set(shown.filter((t) => t.id !== id));
}

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
