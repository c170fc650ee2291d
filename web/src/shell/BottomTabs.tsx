import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { cn } from "../lib/cn";
import { PlaceLink, useAddress } from "../router";
import { tabs, usePlaces } from "./nav";
import { PendingBadge } from "./Sidebar";

const More = lazy(() => import("./More"));

const look = "relative flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-meta text-muted";

/** Navigation within thumb reach, on phones. On pages with a decision, the answers take its place. */
export function BottomTabs() {
  const places = usePlaces();
  const [open, setOpen] = useState(false);
  const { path } = useAddress();
  if (path.startsWith("/approvals/")) return null;
  const beyond = places.slice(tabs).some(({ to, also }) => path === to || path === also || path.startsWith(`${to}/`));
  return (
    <nav aria-label="Main" className="flex shrink-0 border-t bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden">
      {places.slice(0, tabs).map(({ to, label, icon: Icon }) => (
        <PlaceLink key={to} to={to} className={look} here="text-accent-text! font-medium">
          <span className="relative">
            <Icon aria-hidden className="size-5" />
            {to === "/inbox" && <PendingBadge className="absolute -top-1.5 left-3" />}
          </span>
          {label}
        </PlaceLink>
      ))}
      <button
        type="button"
        className={cn(look, beyond && "font-medium text-accent-text")}
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <Ellipsis aria-hidden className="size-5" />
        More
      </button>
      <Suspense>{open && <More onClose={() => setOpen(false)} />}</Suspense>
    </nav>
  );
}
