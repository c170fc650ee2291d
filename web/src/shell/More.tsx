import { Link } from "../router";
import { Sheet } from "../ui/Sheet";
import { tabs, usePlaces } from "./nav";

/** The places without a tab, on phones. Loaded on demand. */
export default function More({ onClose }: { onClose: () => void }) {
  const more = usePlaces().slice(tabs);
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title="More">
      <ul>
        {more.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} onClick={onClose} className="flex h-12 items-center gap-3 rounded-sm px-2">
              <Icon aria-hidden className="size-5 text-muted" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
