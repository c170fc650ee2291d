import { ArrowRight } from "lucide-react";
import { useSnapshots } from "../api";
import type { Snapshot } from "../api/types";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { SkeletonRows } from "../ui/Skeleton";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format } from "../words";

/** The snapshots of a run, newest first; each leads to the replay, which can fork from there. */
export function Snapshots({ run }: { run: string }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useSnapshots(run);
  if (error) return <ErrorNote error={error} />;
  if (!data) return <SkeletonRows rows={2} />;
  const items = data.pages.flatMap((page) => page.items).toReversed();
  return (
    <>
      <ul aria-label="Snapshots" className="divide-y">
        {items.map((one) => (
          <li key={one.seq}>
            <Link
              to="/runs/$id/replay"
              params={{ id: run }}
              search={{ at: String(one.seq) }}
              className="flex min-h-(--tap) items-center gap-2 px-4 py-2 hover:bg-hover"
            >
              <span className="min-w-0 flex-1 break-words">
                <Visible text={sentence(one)} />
              </span>
              <Time at={one.at} className="shrink-0 text-small text-muted" />
              <ArrowRight aria-hidden className="size-4 shrink-0 text-muted" />
            </Link>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button look="ghost" className="m-2" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function sentence({ reason, step, layer, by }: Snapshot): string {
  if (reason === "after_step" && step) return `After ${format.title(step)}`;
  if (reason === "after_layer" && layer !== undefined) return `After layer ${layer + 1}`;
  return by.name ? `Saved by ${by.name}` : "Saved";
}
