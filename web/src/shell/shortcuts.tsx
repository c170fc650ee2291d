import { useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { toast } from "../ui/Toasts";
import {
  act,
  type Decides,
  faceOf,
  hear,
  lateMs,
  lookAgain,
  now,
  pace,
  pressedAlone,
  refusal,
  typing,
  watch,
} from "./deliberate";

export interface Shortcut {
  /** "j", "shift+x", "mod+k", "?", "enter", or "g i" for a sequence. */
  keys: string;
  /** Its effect, for the help. */
  label: string;
  /** The heading in the help; "Everywhere" by default. */
  group?: string;
  run: (event: KeyboardEvent) => void;
  /** Off while false. */
  enabled?: boolean;
  /** The condition under which it works, such as "at a row": the help shows it even while it is off. */
  needs?: string;
  /** Also active while typing. */
  whileTyping?: boolean;
  /** It decides the subject of the list of shortcuts: only if pressed alone, with the focus there. */
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

/** Movement keys may be held down. All others act once per press. */
const moving = /^(shift\+)?(j|k|arrow(up|down|left|right))$/;

/** The name of a key press, as written in shortcuts. */
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
  // The last one registered is the most specific.
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

/** Says what became of a deciding key; the latest can be read from the page's marks. */
function settle(detail: string): void {
  performance.clearMarks("assent.key");
  performance.mark("assent.key", { detail });
}

function refuse(why: string): void {
  settle(why);
  tell("Nothing was decided", why);
}

/** Runs a deciding key a moment later, unless it turns out to be the start of a word. */
function decide(found: Registered, event: KeyboardEvent): void {
  const why = refusal(found.place);
  if (why) {
    refuse(why);
    return;
  }
  const face = faceOf(found.place);
  const run = () => {
    waiting = undefined;
    if (faceOf(found.place) !== face) {
      refuse("It changed at the same moment. Look at it, then press the key again.");
      return;
    }
    settle("decided");
    act();
    found.run(event);
  };
  if (pace.after === 0) {
    run();
    return;
  }
  const wait = () => {
    const due = now() + pace.after;
    const timer = setTimeout(() => (now() > due + lateMs ? wait() : run()), pace.after);
    waiting = () => {
      clearTimeout(timer);
      waiting = undefined;
      refuse("Keys pressed one after the other look like typing. Press it by itself.");
    };
  };
  wait();
}

/** Cancels the key that is about to decide. */
let waiting: (() => void) | undefined;
let unheard: KeyboardEvent | undefined;
let told: (() => void) | undefined;

/** Only the latest is kept, so that notices don't pile up while the user keeps typing. */
function tell(title: string, detail: string): void {
  told?.();
  told = toast({ title, detail });
}

/** Handles every key before any other listener can. */
function listen(event: KeyboardEvent): void {
  if (!event.repeat && event.key.length === 1) waiting?.();
  if (hear(event)) return;
  unheard = event;
  if (event.key.length === 1) {
    tell("Keys do nothing for now", "The field you typed in is gone. Click, or press Tab or Escape, to continue.");
  }
}

/** A click is an action, except for a space or Enter in the middle of a word: that presses no button. */
function onClick(event: MouseEvent): void {
  const button = event.target instanceof Element && event.target.closest("button");
  // In a field, Enter submits the form through a click generated by the browser.
  const byKey = event.isTrusted && event.detail === 0 && button && button === document.activeElement;
  if (!byKey || pressedAlone()) {
    act();
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

/** Whether Enter or space would press a button or link. */
function onControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("a,button,summary") !== null;
}

/**
 * Registers shortcuts while the component is mounted. They are off while the user types or a dialog is open. about
 * names the thing that deciding keys decide; the element that shows it has data-decides.
 */
export function useShortcuts(shortcuts: Shortcut[], about?: Decides): void {
  const [place] = useState<object>(() => ({}));
  const { thing, face } = about ?? {};
  useLayoutEffect(() => {
    watch(place, thing === undefined || face === undefined ? undefined : { thing, face });
  }, [place, thing, face]);
  useLayoutEffect(() => () => watch(place, undefined), [place]);
  // Before the page is painted: its keys already match its content.
  const latest = useRef(shortcuts);
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const signature = shortcuts
    .map((s) => `${s.keys}|${s.label}|${s.group}|${s.enabled}|${s.needs}|${s.whileTyping}|${s.decides}`)
    .join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: actions are read on key press; the list by its signature
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

/** All active shortcuts, and those that only lack their condition, unless another has their keys. */
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

/** Listens to the keyboard; used once, in the shell. */
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
