import { useLayoutEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
  /** "j", "shift+x", "mod+k", "?", "enter", or "g i" for one after the other. */
  keys: string;
  /** What it does, for the help. */
  label: string;
  /** The heading in the help; "Everywhere" if left out. */
  group?: string;
  run: (event: KeyboardEvent) => void;
  /** Rests while false. */
  enabled?: boolean;
  /** What it waits for while it rests, such as "at a row": the help shows it even then. */
  needs?: string;
  /** Also while somebody types. */
  whileTyping?: boolean;
}

let registered: readonly Shortcut[][] = [];
const listeners = new Set<() => void>();
let pending: { key: string; at: number } | undefined;
const chordMs = 1000;

function change(next: readonly Shortcut[][]) {
  registered = next;
  for (const listener of listeners) listener();
}

/** Whether somebody is typing, or an overlay has the keyboard. */
function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role="dialog"],[role="menu"],[role="listbox"],.cm-editor') !== null
  );
}

/** Keys that move may be held down. All others do one thing each time they are pressed. */
const moving = /^(shift\+)?(j|k|arrow(up|down|left|right))$/;

/** The name of a key press, as shortcuts write it. */
export function nameOf(event: KeyboardEvent): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const letter = /^[a-z0-9]$/.test(key);
  return [
    (event.metaKey || event.ctrlKey) && "mod",
    event.altKey && "alt",
    event.shiftKey && (letter || key.length > 1) && "shift",
    key,
  ]
    .filter(Boolean)
    .join("+");
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.key === "Shift") return;
  const busy = typing(event.target);
  const name = nameOf(event);
  const before = pending && event.timeStamp - pending.at < chordMs ? `${pending.key} ${name}` : undefined;
  // The one that was registered last is the most particular one.
  const all = registered
    .flat()
    .reverse()
    .filter((s) => s.enabled !== false && (!busy || s.whileTyping));
  const found =
    all.find((s) => s.keys === before) ??
    all.find((s) => s.keys === name && !((name === "enter" || name === "space") && onControl(event.target)));
  pending = undefined;
  if (found) {
    event.preventDefault();
    if (!event.repeat || moving.test(found.keys)) found.run(event);
  } else if (all.some((s) => s.keys.startsWith(`${name} `))) {
    pending = { key: name, at: event.timeStamp };
  }
}

/** Enter or space on a button or link presses that. */
function onControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("a,button,summary") !== null;
}

/** Registers shortcuts while the component is there. They rest while somebody types or a dialog is open. */
export function useShortcuts(shortcuts: Shortcut[]): void {
  // Before anybody sees the page: what it shows, its keys already do.
  const latest = useRef(shortcuts);
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const signature = shortcuts
    .map((s) => `${s.keys}|${s.label}|${s.group}|${s.enabled}|${s.needs}|${s.whileTyping}`)
    .join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is read when a key is pressed; the signature says when the list changes
  useLayoutEffect(() => {
    const own = latest.current.map((s, i) => ({ ...s, run: (event: KeyboardEvent) => latest.current[i]?.run(event) }));
    change([...registered, own]);
    return () => change(registered.filter((list) => list !== own));
  }, [signature]);
}

/** All shortcuts that can be pressed now, and those that only wait for something, unless another has their keys. */
export function useRegisteredShortcuts(): readonly Shortcut[] {
  const lists = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
  const all = lists.flat();
  const taken = new Set(all.filter((s) => s.enabled !== false).map((s) => s.keys));
  return all.filter((s) => s.enabled !== false || (s.needs !== undefined && !taken.has(s.keys)));
}

/** Listens to the keyboard; stands once in the shell. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
