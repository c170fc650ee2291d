import { Link } from "@tanstack/react-router";
import { Workflow } from "lucide-react";
import { useRunPages } from "../api";
import { Page } from "../shell";
import { Button, EmptyState, ErrorNote, Progress, SkeletonRows, StatusBadge, Time } from "../ui";
import { format } from "../words";

/** All runs, the newest first. */
export function RunsPage() {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useRunPages({ limit: 50 });
  return (
    <Page
      title="Runs"
      lead={data ? `${format.plural(data.total, "run")}${data.totalIsLowerBound ? " or more" : ""}` : undefined}
    >
      {isPending && <SkeletonRows className="h-12" />}
      {error && !data && <ErrorNote error={error} />}
      {data?.items.length === 0 && (
        <EmptyState icon={Workflow} title="No runs yet">
          Start one with <code>assent run NAME</code>.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-md border bg-surface">
          {data.items.map((run) => (
            <li key={run.id}>
              <Link
                to="/runs/$id"
                params={{ id: run.id }}
                className="flex min-h-12 items-center gap-4 px-4 py-2 hover:bg-hover"
              >
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{format.title(run.workflow)}</span>
                  <span className="block truncate text-small text-muted">{run.error ?? `Started by ${run.owner}`}</span>
                </span>
                <span className="w-32 max-sm:hidden" title={`${run.progress.done} of ${run.progress.total} steps`}>
                  <Progress
                    percent={run.progress.percent}
                    label={`${run.progress.done} of ${run.progress.total} steps done`}
                  />
                </span>
                <StatusBadge run={run.status} />
                <Time at={run.updated_at} className="w-20 text-right text-small text-muted max-sm:hidden" />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="mt-3" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}
