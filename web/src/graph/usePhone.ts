import { useSyncExternalStore } from "react";

function useWidthUpTo(px: number): boolean {
  const query = () => (typeof matchMedia === "undefined" ? undefined : matchMedia(`(max-width: ${px}px)`));
  return useSyncExternalStore(
    (listener) => {
      const media = query();
      media?.addEventListener("change", listener);
      return () => media?.removeEventListener("change", listener);
    },
    () => query()?.matches ?? false,
  );
}

/** Whether the window is as narrow as a phone. */
export function usePhone(): boolean {
  return useWidthUpTo(640);
}

/** Whether the window is too narrow for two panes side by side. */
export function useNarrow(): boolean {
  return useWidthUpTo(899);
}
