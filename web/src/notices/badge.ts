import { useEffect } from "react";
import { usePendingCount } from "../api";
import { setTitleCount } from "../shell/Page";

/** The number of pending approvals in the title, on the tab's icon and on the icon of the installed app. */
export function useBadges(): void {
  const { data: pending = 0 } = usePendingCount();
  useEffect(() => {
    setTitleCount(pending);
    setIcon(pending > 0);
    setAppBadge(pending);
  }, [pending]);
  useEffect(
    () => () => {
      setTitleCount(0);
      setIcon(false);
    },
    [],
  );
}

const tick =
  '<path d="M9 16.5l4.6 4.6L23.5 11" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/>';
const marked = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4f46e5"/>${tick}<circle cx="25" cy="7" r="7" fill="#e5484d" stroke="#fff" stroke-width="2"/></svg>`;

function setIcon(dot: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const href = dot ? `data:image/svg+xml,${encodeURIComponent(marked)}` : "/icon.svg";
  if (link && link.getAttribute("href") !== href) link.setAttribute("href", href);
}

function setAppBadge(count: number): void {
  // Missing in browsers without installed apps; refused where the app is not installed.
  const badge = navigator as { setAppBadge?: (n: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
  void (count > 0 ? badge.setAppBadge?.(count) : badge.clearAppBadge?.())?.catch(() => {});
}
