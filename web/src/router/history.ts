/** The addresses somebody has been at, and the one they are at now. */
export interface History {
  href: () => string;
  /** Names the present entry, for what is kept with it. */
  key: () => string;
  push: (href: string) => void;
  replace: (href: string) => void;
  /** Tells when somebody goes back or forth. */
  listen: (told: () => void) => () => void;
  /** Fetches the program anew, if that may help. */
  refresh: () => boolean;
}

const newKey = () => Math.random().toString(36).slice(2, 10);
const refreshed = "assent.refreshed";

/** That of the browser. */
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
      // After an update of the server, the scripts that an open page knows of are gone. Once: not every failure is that.
      try {
        if (sessionStorage.getItem(refreshed) === location.href) return false;
        sessionStorage.setItem(refreshed, location.href);
      } catch {
        return false; // without storage nobody knows whether it was tried
      }
      location.reload();
      return true;
    },
  };
}

/** One without a browser, for tests. */
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
