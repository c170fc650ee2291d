import { lazy, Suspense, useCallback } from "react";
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

/** What the run has made and nobody has accepted yet: whoever accepts a report, or opens a pull request, sees it here. */
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
        {items.map((item) => (
          <Exhibit key={item.id} item={item} shown={exhibits.shown} />
        ))}
      </div>
    </Card>
  );
}

function Exhibit({ item, shown }: { item: Deliverable; shown: Exhibits["shown"] }) {
  const onShown = useCallback(() => shown(item.id), [shown, item.id]);
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
      <Suspense fallback={<Skeleton className="h-40" />}>
        <Preview item={item} onShown={onShown} />
      </Suspense>
    </Opens>
  );
}
