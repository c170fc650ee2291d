import type { LucideIcon } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface PaletteCommand {
  id: string;
  label: string;
  /** The heading in the palette; "Commands" if left out. */
  group?: string;
  icon?: LucideIcon;
  keys?: string;
  /** More words to find it by. */
  also?: string[];
  run: () => void;
}

let registered: readonly PaletteCommand[][] = [];
const listeners = new Set<() => void>();

function change(next: readonly PaletteCommand[][]) {
  registered = next;
  for (const listener of listeners) listener();
}

/** Puts commands into the palette (Ctrl-K) while the component is there. */
export function useCommands(commands: PaletteCommand[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  const signature = commands.map((c) => `${c.id}|${c.label}|${c.group}|${c.keys}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is read when chosen; the signature says when the list changes
  useEffect(() => {
    const own = latest.current.map((c, i) => ({ ...c, run: () => latest.current[i]?.run() }));
    change([...registered, own]);
    return () => change(registered.filter((list) => list !== own));
  }, [signature]);
}

export function useRegisteredCommands(): readonly PaletteCommand[] {
  const lists = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
  return lists.flat();
}
