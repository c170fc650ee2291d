import { useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { toast } from "../ui/Toasts";
import { act, type Decides, faceOf, hear, lookAgain, pace, pressedAlone, refusal, typing, watch } from "./deliberate";

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
  /** It answers what the list of shortcuts is about: only if it was pressed alone, with the focus there. */
  decides?: boolean;
}

interface Registered extends Shortcut {
  place: object;
}

let registered: readonly Registered[][] = [];
const listeners = new Set<() => void>();
let pending: { key: string; at: number } | undefined;
const chordMs = 1000;

function change(next: readonly Registered[][]) {
  registered = next;
  for (const listener of listeners) listener();
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
  if (event.defaultPrevented || event.isComposing || event.key === "Shift" || event === unheard) return;
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
    if (event.repeat && !moving.test(found.keys)) return;
    if (found.decides) decide(found, event);
    else {
      act();
      found.run(event);
    }
  } else if (all.some((s) => s.keys.startsWith(`${name} `))) {
    pending = { key: name, at: event.timeStamp };
  }
}

/** Runs what decides a moment later, unless the key turns out to be the beginning of a word. */
function decide(found: Registered, event: KeyboardEvent): void {
  const why = refusal(found.place);
  if (why) {
    tell("Nothing was decided", why);
    return;
  }
  const face = faceOf(found.place);
  const run = () => {
    waiting = undefined;
    if (faceOf(found.place) !== face) {
      tell("Nothing was decided", "It changed at the same moment. Look at it, then press the key again.");
      return;
    }
    act();
    found.run(event);
  };
  if (pace.after === 0) {
    run();
    return;
  }
  const timer = setTimeout(run, pace.after);
  waiting = () => {
    clearTimeout(timer);
    waiting = undefined;
    tell("Nothing was decided", "Keys pressed one after the other look like typing. Press it by itself.");
  };
}

/** Takes back the key that is about to decide. */
let waiting: (() => void) | undefined;
let unheard: KeyboardEvent | undefined;
let told: (() => void) | undefined;

/** The latest is enough: whoever goes on typing needs no pile of notices. */
function tell(title: string, detail: string): void {
  told?.();
  told = toast({ title, detail });
}

/** Sees every key before anybody can take it. */
function listen(event: KeyboardEvent): void {
  if (!event.repeat && event.key.length === 1) waiting?.();
  if (hear(event)) return;
  unheard = event;
  if (event.key.length === 1) {
    tell("Keys do nothing for now", "The field you typed in is gone. Click, or press Tab or Escape, to go on.");
  }
}

/** A click is an act, but for a space or Enter in the middle of a word: that presses no button. */
function onClick(event: MouseEvent): void {
  const button = event.target instanceof Element && event.target.closest("button");
  // In a field, Enter sends the form by a click that the browser makes.
  const byKey = event.isTrusted && event.detail === 0 && button && button === document.activeElement;
  if (!byKey || pressedAlone()) {
    act();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Enter or space on a button or link presses that. */
function onControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("a,button,summary") !== null;
}

/**
 * Registers shortcuts while the component is there. They rest while somebody types or a dialog is open. about names
 * what those that decide would decide; the element that shows it bears data-decides.
 */
export function useShortcuts(shortcuts: Shortcut[], about?: Decides): void {
  const [place] = useState<object>(() => ({}));
  const { thing, face } = about ?? {};
  useLayoutEffect(() => {
    watch(place, thing === undefined || face === undefined ? undefined : { thing, face });
  }, [place, thing, face]);
  useLayoutEffect(() => () => watch(place, undefined), [place]);
  // Before anybody sees the page: what it shows, its keys already do.
  const latest = useRef(shortcuts);
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const signature = shortcuts
    .map((s) => `${s.keys}|${s.label}|${s.group}|${s.enabled}|${s.needs}|${s.whileTyping}|${s.decides}`)
    .join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is read when a key is pressed; the signature says when the list changes
  useLayoutEffect(() => {
    const own = latest.current.map((s, i) => ({
      ...s,
      place,
      run: (event: KeyboardEvent) => latest.current[i]?.run(event),
    }));
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
    window.addEventListener("keydown", listen, true);
    document.addEventListener("keydown", onKeyDown);
    window.addEventListener("pointerdown", act, true);
    window.addEventListener("click", onClick, true);
    window.addEventListener("focus", lookAgain);
    document.addEventListener("visibilitychange", lookAgain);
    return () => {
      window.removeEventListener("keydown", listen, true);
      document.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("pointerdown", act, true);
      window.removeEventListener("click", onClick, true);
      window.removeEventListener("focus", lookAgain);
      document.removeEventListener("visibilitychange", lookAgain);
    };
  }, []);
}
