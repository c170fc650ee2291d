import { usePendingCount } from "../api";
import { Link, PlaceLink } from "../router";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { format } from "../words";
import { Logo } from "./Logo";
import { grouped, usePlaces } from "./nav";

/** Navigation beside the page; icons only on narrow screens. */
export function Sidebar() {
  return (
    <nav
      aria-label="Main"
      className="hidden w-14 shrink-0 flex-col overflow-y-auto border-r bg-surface p-2 sm:flex lg:w-52"
    >
      <Link
        to="/inbox"
        className="mb-3 flex h-10 items-center gap-2.5 rounded-sm px-2 text-lead font-semibold tracking-tight"
        aria-label="Assent, to the inbox"
      >
        <Logo />
        <span className="max-lg:hidden">Assent</span>
      </Link>
      {grouped(usePlaces()).map(({ group, places }) => (
        <div key={group} className={group ? "mt-2 flex flex-col gap-0.5 border-t pt-2" : "flex flex-col gap-0.5"}>
          {group && <p className="px-2.5 pb-0.5 text-meta font-medium text-muted max-lg:sr-only">{group}</p>}
          {places.map(({ to, also, label, icon: Icon }) => (
            <PlaceLink
              key={to}
              to={to}
              also={also}
              title={label}
              className="relative flex h-9 items-center gap-2.5 rounded-sm px-2.5 text-control text-muted hover:bg-hover hover:text-text pointer-coarse:h-11"
              here="bg-accent-bg! text-accent-text! font-medium"
            >
              <Icon aria-hidden className="size-4.5 shrink-0" />
              <span className="flex-1 max-lg:sr-only">{label}</span>
              {to === "/inbox" && (
                <PendingBadge className="max-lg:absolute max-lg:top-0 max-lg:right-0 max-lg:min-w-4 max-lg:px-1 max-lg:text-[10px] max-lg:leading-4" />
              )}
            </PlaceLink>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The number of pending approvals, live. */
export function PendingBadge({ className = "" }: { className?: string }) {
  const { data: pending } = usePendingCount();
  if (!pending) return null;
  return (
    <span
      className={`min-w-5 rounded-full bg-accent px-1.5 text-center text-meta font-semibold text-on-accent ${className}`}
    >
      {pending > 999 ? "999+" : format.count(pending)}
      <VisuallyHidden> waiting</VisuallyHidden>
    </span>
  );
}
