import { Link } from "../router";
import { Sheet } from "../ui/Sheet";
import { grouped, tabs, usePlaces } from "./nav";

/** The places without a tab, on phones. Loaded on demand. */
export default function More({ onClose }: { onClose: () => void }) {
  const more = grouped(usePlaces().slice(tabs));
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()} title="More">
      {more.map(({ group, places }) => (
        <section key={group} className="not-first:mt-2 not-first:border-t not-first:pt-2">
          {group && <h3 className="px-2 text-meta font-medium text-muted">{group}</h3>}
          <ul>
            {places.map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link to={to} onClick={onClose} className="flex h-12 items-center gap-3 rounded-sm px-2">
                  <Icon aria-hidden className="size-5 text-muted" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Sheet>
  );
}
