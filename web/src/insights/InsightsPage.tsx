import { useApprovals, usePendingCount, useRuns } from "../api";
import { Page } from "../shell";
import { Card, ErrorNote, Skeleton } from "../ui";
import { format } from "../words";

/** Numbers with a sentence each that says how they are made. */
export function InsightsPage() {
  const pending = usePendingCount();
  const running = useRuns({ status: ["running"], limit: 1 });
  const failed = useRuns({ status: ["failed", "limit_reached"], limit: 1 });
  const automatic = useApprovals({ status: ["auto_approved"], limit: 1 });
  return (
    <Page title="Insights" lead="What is going on, in numbers">
      {pending.error && <ErrorNote error={pending.error} />}
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Panel value={pending.data} title="Waiting" sentence="Approvals that nobody has decided yet." />
        <Panel value={running.data?.total} title="Running" sentence="Runs in which an agent works right now." />
        <Panel
          value={failed.data?.total}
          title="Failed"
          sentence="Runs that failed or hit a limit, since the store began."
        />
        <Panel
          value={automatic.data?.total}
          title="Approved by rule"
          sentence="Approvals that a policy rule gave; nobody was asked."
        />
      </div>
    </Page>
  );
}

function Panel({ value, title, sentence }: { value: number | undefined; title: string; sentence: string }) {
  return (
    <Card title={title}>
      {value === undefined ? (
        <Skeleton className="h-9 w-16" />
      ) : (
        <p className="text-number font-semibold tracking-tight">{format.count(value)}</p>
      )}
      <p className="mt-1 text-small text-muted">{sentence}</p>
    </Card>
  );
}
