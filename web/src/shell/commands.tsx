import type { LucideIcon } from "lucide-react";
import { useEffect, useRef, useSyncExternalStore } from "react";

export interface PaletteCommand {
  id: string;
  label: string;
  /** The heading in the palette; "Commands" by default. */
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

/** Adds commands to the palette (Ctrl-K) while the component is mounted. */
export function useCommands(commands: PaletteCommand[]): void {
  const latest = useRef(commands);
  useEffect(() => {
    latest.current = commands;
  });
  const signature = commands.map((c) => `${c.id}|${c.label}|${c.group}|${c.keys}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: actions are read when chosen; the list by its signature
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
