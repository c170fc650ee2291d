import { lazy, Suspense } from "react";
import { useDeliverables } from "../api/deliverables";
import type { Approval } from "../api/types";
import { Link } from "../router";
import { Card } from "../ui/Card";
import { Skeleton } from "../ui/Skeleton";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { Opens } from "./Opens";

const Preview = lazy(() => import("../content/Preview").then((m) => ({ default: m.Preview })));

const openAtOnce = 2;

/** What the run has made and nobody has accepted yet: whoever accepts a report, or opens a pull request, sees it here. */
export function Inspect({ approval: a }: { approval: Approval }) {
  const asks = a.kind === "approval" && a.action.type !== "run" && a.action.type !== "limit";
  const { data } = useDeliverables({ run: a.run, limit: 20 });
  const drafts = asks ? (data?.items ?? []).filter((d) => d.newest && d.status === "draft") : [];
  if (drafts.length === 0) return null;
  // Documents and changes before tables: they are what is read.
  const order = ["document", "code"];
  const sorted = [...drafts].sort((x, y) => rank(order, x.type) - rank(order, y.type));
  return (
    <Card
      title={`Made in this run (${format.count(drafts.length)})`}
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
        {sorted.map((d, i) => (
          <Opens
            key={d.id}
            open={i < openAtOnce}
            head={
              <>
                <span className="font-medium break-words">
                  <Visible text={d.name} />
                </span>
                <span className="text-small text-muted">{d.url ? "a link" : format.bytes(d.size)}</span>
              </>
            }
          >
            <Suspense fallback={<Skeleton className="h-40" />}>
              <Preview item={d} />
            </Suspense>
          </Opens>
        ))}
      </div>
    </Card>
  );
}

function rank(order: string[], type: string): number {
  return order.includes(type) ? order.indexOf(type) : order.length;
}
