import { CircleCheckBig, Unplug } from "lucide-react";
import { useApprovalPages } from "../api";
import { useConnection } from "../live";
import { Page } from "../shell";
import { Button, EmptyState, ErrorNote, SkeletonRows } from "../ui";
import { format } from "../words";
import { ApprovalRow } from "./ApprovalRow";

/** What waits for a decision, the most urgent first. */
export function InboxPage() {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage } = useApprovalPages({
    status: ["pending"],
    sort: "priority",
    limit: 50,
  });
  return (
    <Page title="Inbox" lead={data && data.total > 0 ? `${format.plural(data.total, "decision")} waiting` : undefined}>
      {isPending && <SkeletonRows />}
      {error && !data && <ErrorNote error={error} />}
      {data?.items.length === 0 && <NothingWaits />}
      {data && data.items.length > 0 && (
        <ul className="divide-y overflow-hidden rounded-md border bg-surface">
          {data.items.map((approval) => (
            <ApprovalRow key={approval.id} approval={approval} />
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

function NothingWaits() {
  const connection = useConnection();
  if (connection.state === "lost") {
    return (
      <EmptyState icon={Unplug} title={`Connection lost since ${format.clock(connection.since)}`}>
        Nothing was waiting then. We keep trying.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={CircleCheckBig} title="All clear">
      Nothing waits for a decision. It shows up here as soon as an agent asks.
    </EmptyState>
  );
}
