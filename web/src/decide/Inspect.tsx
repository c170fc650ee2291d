import { lazy, type ReactNode, type RefObject, Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { Deliverable } from "../api/types";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { ErrorNote } from "../ui/ErrorNote";
import { Skeleton } from "../ui/Skeleton";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { Opens } from "./Opens";
import type { Desk } from "./useDesk";
import type { Exhibits } from "./useExhibits";

const Preview = lazy(() => import("../content/Preview").then((m) => ({ default: m.Preview })));

/**
 * Deliverables of the run that have not been accepted yet: reviewers see the report, or the changes of a pull request,
 * here.
 */
export function Inspect({ desk: { approval: a, exhibits } }: { desk: Desk }) {
  const { items, error, retry } = exhibits;
  if (error) {
    return (
      <Card id="made" title="Made in this run">
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={retry}>
              Try again
            </Button>
          }
        />
      </Card>
    );
  }
  if (items.length === 0) return null;
  const before = items.map((_, i) => items.slice(0, i + 1).reduce((sum, { size }) => sum + size, 0));
  return (
    <Card
      id="made"
      title={`Made in this run (${format.count(items.length)})`}
      actions={
        <Link
          to="/deliverables"
          search={{ run: a.run }}
          className="flex items-center text-small text-accent-text underline-offset-2 hover:underline pointer-coarse:h-11"
        >
          All deliverables
        </Link>
      }
    >
      <div className="space-y-3">
        {items.map((item, i) => (
          <Exhibit
            key={item.id}
            item={item}
            atOnce={(before[i] ?? 0) <= atOnceMax}
            unseen={!exhibits.seenOf(item.id)}
            shown={exhibits.shown}
          />
        ))}
      </div>
    </Card>
  );
}

/** Bytes that are loaded with the page; files beyond that load when they come near the viewport. */
const atOnceMax = 1 << 20;

interface ExhibitProps {
  item: Deliverable;
  atOnce: boolean;
  unseen: boolean;
  shown: Exhibits["shown"];
}

function Exhibit({ item, atOnce, unseen, shown }: ExhibitProps) {
  const onShown = useCallback(() => shown(item.id), [shown, item.id]);
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place, atOnce);
  return (
    <div ref={place} data-unseen={unseen || undefined} className="scroll-mt-16">
      <File item={item}>
        {near ? (
          <Suspense fallback={<Skeleton className="h-40" />}>
            <Preview item={item} onShown={onShown} />
          </Suspense>
        ) : (
          <Skeleton className="h-64" />
        )}
      </File>
    </div>
  );
}

/** Whether an element has come near the viewport, once. */
function useNear(place: RefObject<HTMLElement | null>, atOnce: boolean): boolean {
  const [near, setNear] = useState(atOnce || typeof IntersectionObserver === "undefined");
  useEffect(() => {
    const box = place.current;
    if (near || !box) return;
    const sight = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && setNear(true), {
      rootMargin: "400px",
    });
    sight.observe(box);
    return () => sight.disconnect();
  }, [near, place]);
  return near;
}

function File({ item, children }: { item: Deliverable; children: ReactNode }) {
  return (
    <Opens
      open
      head={
        <>
          <span className="font-medium break-words">
            <Visible text={item.name} />
          </span>
          <span className="text-small text-muted">{item.url ? "a link" : format.bytes(item.size)}</span>
        </>
      }
    >
      {children}
    </Opens>
  );
}
