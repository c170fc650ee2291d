import { useSyncExternalStore } from "react";

const query = () => (typeof matchMedia === "undefined" ? undefined : matchMedia("(max-width: 640px)"));

function subscribe(listener: () => void): () => void {
  const media = query();
  media?.addEventListener("change", listener);
  return () => media?.removeEventListener("change", listener);
}

/** Whether the window is as narrow as a phone. */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => query()?.matches ?? false);
}
