import { Link } from "@tanstack/react-router";
import { History } from "lucide-react";
import { type ApprovalStatus, useApprovalPages } from "../api";
import { Page } from "../shell";
import { Button, EmptyState, ErrorNote, RiskBadge, SkeletonRows, StatusBadge, Time } from "../ui";
import { approvalStatus, format } from "../words";

const settled = (Object.keys(approvalStatus) as ApprovalStatus[]).filter((status) => status !== "pending");

/** What was decided, and by whom. */
export function HistoryPage() {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useApprovalPages({
    status: settled,
    limit: 50,
  });
  return (
    <Page title="History" lead="What people and rules decided">
      {isPending && <SkeletonRows />}
      {error && !data && <ErrorNote error={error} />}
      {data?.items.length === 0 && (
        <EmptyState icon={History} title="Nothing decided yet">
          Every decision is kept here with who took it and why.
        </EmptyState>
      )}
      {data && data.items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-md border bg-surface">
          {data.items.map((approval) => (
            <li key={approval.id}>
              <Link
                to="/approvals/$id"
                params={{ id: approval.id }}
                className="flex min-h-14 items-center gap-4 px-4 py-2 hover:bg-hover"
              >
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium">{approval.title}</span>
                  <span className="block truncate text-small text-muted">
                    {approval.outcome?.by ? `${approval.outcome.by} · ` : ""}
                    {approval.outcome?.comment || format.title(approval.workflow)}
                  </span>
                </span>
                <RiskBadge level={approval.risk.level} reasons={approval.risk.reasons} className="max-sm:hidden" />
                <StatusBadge approval={approval.status} />
                <Time
                  at={approval.outcome?.at ?? approval.requested_at}
                  className="w-20 text-right text-small text-muted max-sm:hidden"
                />
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
