import { useSyncExternalStore } from "react";

const soundKey = "assent.sound";
const deviceKey = "assent.push";
const listeners = new Set<() => void>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is blocked
  }
}

function write(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Then it applies to nothing: a setting that cannot be stored stays off.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("storage", listener); // set in another tab
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** Whether this browser plays a sound when something new waits. Off by default. */
export const soundOn = () => read(soundKey) === "on";
export const setSound = (on: boolean) => write(soundKey, on ? "on" : undefined);
export const useSound = () => useSyncExternalStore(subscribe, soundOn);

/** Who turned push messages on in this browser, as "ID NAME". */
export interface Device {
  id: string;
  person: string;
}

let parsed: { text: string | null; device: Device | undefined } | undefined;

export function device(): Device | undefined {
  const text = read(deviceKey);
  if (parsed?.text !== text) {
    const [id, ...person] = (text ?? "").split(" ");
    parsed = { text, device: id && person.length > 0 ? { id, person: person.join(" ") } : undefined };
  }
  return parsed?.device;
}

export const useDevice = () => useSyncExternalStore(subscribe, device);

export const setDevice = (d: Device | undefined) => write(deviceKey, d && `${d.id} ${d.person}`);
