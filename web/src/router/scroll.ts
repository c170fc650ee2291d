// Scroll positions of pages that were left, to restore on return. They are stored with the history entry, for the
// lifetime of the tab; elements to restore have data-keep-scroll with a name.
const store = "assent.scroll";
const most = 50;

type Kept = Record<string, Record<string, number>>;

const boxes = () => document.querySelectorAll<HTMLElement>("[data-keep-scroll]");

function kept(): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(store) ?? "{}") as Kept;
  } catch {
    return {};
  }
}

/** Stores all scroll positions for the entry with a key. */
export function keepScroll(key: string): void {
  const tops: Record<string, number> = {};
  for (const box of boxes()) if (box.scrollTop > 0) tops[box.dataset.keepScroll ?? ""] = box.scrollTop;
  const { [key]: _, ...others } = kept();
  if (Object.keys(tops).length > 0) others[key] = tops;
  try {
    sessionStorage.setItem(store, JSON.stringify(Object.fromEntries(Object.entries(others).slice(-most))));
  } catch {
    // No storage: pages start at the top.
  }
}

/** Restores the scroll positions of an entry. Without any, nothing is touched: the browser need not measure. */
export function restoreScroll(key: string): void {
  const tops = kept()[key];
  if (!tops) return;
  for (const box of boxes()) box.scrollTop = tops[box.dataset.keepScroll ?? ""] ?? 0;
}

export function scrollToTop(): void {
  for (const box of boxes()) box.scrollTop = 0;
}
