// A key decides only if it was meant to: when a field disappears while the user types, the rest of the text must not
// become answers. So a key that decides has to be pressed alone, with the focus on the thing to decide, after it was
// visible unchanged for a moment.

/**
 * Human reaction times in milliseconds: to see the content, and the pauses before and after a deliberate key. New
 * content counts as intended that long after an action (meant).
 */
export const pace = { seen: 400, before: 350, after: 200, meant: 2000 };
/** A timer that comes later than this means that the page was busy: keys pressed in the meantime may arrive only now. */
export const lateMs = 50;

/** The thing a key would decide, and how it looked when drawn: with another face it has to be seen again. */
export interface Decides {
  thing: string;
  face: string;
}

interface Seen extends Decides {
  since: number;
  /** It appeared through the user's own action, or they have been notified that it did not. */
  meant: boolean;
}

const never = Number.NEGATIVE_INFINITY;
/** By place: the list, the pane, the bar. */
const seen = new Map<object, Seen>();
let textAt = never;
let alone = true;
let actedAt = never;
/** The last key went into a field that has not been left deliberately since. */
let inField = false;

export const now = () => performance.now();

export function forgetKeys(): void {
  seen.clear();
  textAt = actedAt = never;
  alone = true;
  inField = false;
}

/** Whether the user is typing there, or an overlay has the keyboard. */
export function typing(target: EventTarget | null): boolean {
  return (
    isField(target) ||
    (target instanceof Element && target.closest('[role="dialog"],[role="menu"],[role="listbox"]') !== null)
  );
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest(".cm-editor") !== null
  );
}

/** An action that cannot be part of a word, after which keys are active again. */
export function act(): void {
  actedAt = now();
  inField = false;
}

/** Enter in a single-line field, and with Ctrl or ⌘ in any field, means that the user is done. */
const sends = ({ key, target, ctrlKey, metaKey }: KeyboardEvent) =>
  key === "Enter" && (ctrlKey || metaKey || target instanceof HTMLInputElement);

const leaving = /^(Tab|Escape)$/;
const moves = /^(Arrow|Page|Home|End|Enter|F\d)/;

/**
 * Handles every key before all other listeners. False if it belongs to text whose field is gone: then it is ignored.
 */
export function hear(event: KeyboardEvent): boolean {
  if (/^(Shift|Control|Alt|Meta|CapsLock|Dead)$/.test(event.key)) return true;
  const commands = event.ctrlKey || event.metaKey || event.altKey;
  const text = !commands && (event.key.length === 1 || /^(Backspace|Delete)$/.test(event.key) || event.isComposing);
  const at = event.timeStamp; // when it was pressed: a busy page hears of it later
  // A held key is one press.
  if (!event.repeat) alone = at - textAt >= pace.before;
  if (text) textAt = at;
  if (isField(event.target)) {
    if (leaving.test(event.key) || sends(event)) act();
    else inField = true;
    return true;
  }
  if (leaving.test(event.key)) act();
  if (inField && !commands && !typing(event.target)) return false;
  if (moves.test(event.key)) actedAt = now();
  return true;
}

/** Whether the last key was pressed by itself, not as part of a word. */
export const pressedAlone = () => alone;

/** The page was hidden, or covered by another window: everything has to be seen again. */
export function lookAgain(): void {
  for (const entry of seen.values()) entry.since = now();
}

/** Sets the thing that the keys of one place decide; undefined if there is none. */
export function watch(place: object, decides: Decides | undefined): void {
  const before = seen.get(place);
  if (!decides) {
    seen.delete(place);
    return;
  }
  if (before?.thing === decides.thing && before.face === decides.face) return;
  const at = now();
  // One action leads to one thing. Anything that replaces it later was not requested.
  const meant = before === undefined || at - actedAt < pace.meant;
  actedAt = never;
  seen.set(place, { ...decides, since: at, meant });
}

/** Why the key just pressed does not decide; undefined if it does. */
export function refusal(place: object): string | undefined {
  const entry = seen.get(place);
  if (!entry) return undefined;
  const holder = document.activeElement?.closest<HTMLElement>("[data-decides]");
  if (holder?.dataset.decides !== entry.thing) return "Click on it first, or go there with the arrow keys.";
  if (!alone) return "Keys pressed one after the other look like typing. Press it by itself.";
  if (!entry.meant) {
    entry.meant = true;
    entry.since = now();
    return "Something else appeared here. Look at it, then press the key again.";
  }
  if (now() - entry.since < pace.seen) return "It has only just appeared. Look at it, then press the key again.";
  return undefined;
}

/** How the thing looks now, to check whether it still does a moment later. */
export const faceOf = (place: object) => seen.get(place)?.face;
