import type { ComponentProps, MouseEvent } from "react";
import type { Target } from "./address";
import { useAddress, useRouter } from "./RouterProvider";

type Anchor = Omit<ComponentProps<"a">, "href">;
export type LinkProps = Anchor & Target;

/**
 * A link to one of our pages. Its code is prefetched when the user is about to follow it; other tabs are left to the
 * browser.
 */
export function Link({ to, search, onClick, onPointerEnter, onTouchStart, onFocus, ...rest }: LinkProps) {
  const router = useRouter();
  const { params, ...anchor } = rest as Anchor & { params?: { id: string } };
  const target = { to, search, ...(params && { params }) } as Target;
  const soon = () => to && router.preload(to);
  return (
    <a
      {...anchor}
      href={router.href(target)}
      onClick={(e) => {
        onClick?.(e);
        if (e.defaultPrevented || !isPlain(e) || anchor.target) return;
        e.preventDefault();
        void router.navigate(target);
      }}
      onPointerEnter={(e) => {
        onPointerEnter?.(e);
        soon();
      }}
      onTouchStart={(e) => {
        onTouchStart?.(e);
        soon();
      }}
      onFocus={(e) => {
        onFocus?.(e);
        soon();
      }}
    />
  );
}

/** A navigation link, marked as current on its page, the pages below, and another page that belongs to it. */
export function PlaceLink({ here, also, className = "", ...rest }: LinkProps & { here: string; also?: string }) {
  const { path } = useAddress();
  const active = path === rest.to || path === also || path.startsWith(`${rest.to}/`);
  return (
    <Link
      {...rest}
      className={active ? `${className} ${here}` : className}
      aria-current={active ? "page" : undefined}
    />
  );
}

/** The primary button only: modifiers and other buttons open a tab or window, or download. */
const isPlain = (e: MouseEvent) => e.button === 0 && !e.metaKey && !e.ctrlKey && !e.shiftKey && !e.altKey;
