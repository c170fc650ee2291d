// How far something was scrolled when its page was left, to come back to. It is kept with the entry of the history, for
// as long as the tab lives; what is to be kept bears data-keep-scroll with a name.
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

/** Keeps where everything stands, for the entry with a key. */
export function keepScroll(key: string): void {
  const tops: Record<string, number> = {};
  for (const box of boxes()) if (box.scrollTop > 0) tops[box.dataset.keepScroll ?? ""] = box.scrollTop;
  const { [key]: _, ...others } = kept();
  if (Object.keys(tops).length > 0) others[key] = tops;
  try {
    sessionStorage.setItem(store, JSON.stringify(Object.fromEntries(Object.entries(others).slice(-most))));
  } catch {
    // No storage: pages begin at their top.
  }
}

/** Scrolls to what was kept for an entry. Where nothing was, nothing is touched: the browser need not measure. */
export function restoreScroll(key: string): void {
  const tops = kept()[key];
  if (!tops) return;
  for (const box of boxes()) box.scrollTop = tops[box.dataset.keepScroll ?? ""] ?? 0;
}

export function scrollToTop(): void {
  for (const box of boxes()) box.scrollTop = 0;
}
