/** The visited URLs, and the current one. */
export interface History {
  href: () => string;
  /** Identifies the current entry, for data stored with it. */
  key: () => string;
  push: (href: string) => void;
  replace: (href: string) => void;
  /** Notifies when the user goes back or forward. */
  listen: (told: () => void) => () => void;
  /** Reloads the program, if that may help. */
  refresh: () => boolean;
}

const newKey = () => Math.random().toString(36).slice(2, 10);
const refreshed = "assent.refreshed";

/** The browser's history. */
export function browserHistory(): History {
  return {
    href: () => location.pathname + location.search + location.hash,
    key: () => history.state?.key ?? "",
    push: (href) => history.pushState({ key: newKey() }, "", href),
    replace: (href) => history.replaceState({ key: history.state?.key ?? newKey() }, "", href),
    listen: (told) => {
      addEventListener("popstate", told);
      return () => removeEventListener("popstate", told);
    },
    refresh: () => {
      // After a server update, the scripts that an open page refers to are gone. Once only: not every failure has that
      // cause.
      try {
        if (sessionStorage.getItem(refreshed) === location.href) return false;
        sessionStorage.setItem(refreshed, location.href);
      } catch {
        return false; // without storage there is no way to know whether it was tried
      }
      location.reload();
      return true;
    },
  };
}

/** An in-memory history, for tests. */
export function memoryHistory(href: string): History & { go: (by: number) => void } {
  const entries = [{ href, key: newKey() }];
  const listeners = new Set<() => void>();
  let at = 0;
  const now = () => entries[at] ?? { href: "/", key: "" };
  return {
    href: () => now().href,
    key: () => now().key,
    push: (to) => {
      entries.splice(++at, entries.length, { href: to, key: newKey() });
    },
    replace: (to) => {
      entries[at] = { href: to, key: now().key };
    },
    listen: (told) => {
      listeners.add(told);
      return () => listeners.delete(told);
    },
    refresh: () => false,
    go: (by) => {
      at = Math.max(0, Math.min(entries.length - 1, at + by));
      for (const told of listeners) told();
    },
  };
}
