import { Link, useParams } from "@tanstack/react-router";
import { useRun } from "../api";
import { Page } from "../shell";
import { Button, Card, Elapsed, ErrorNote, JsonView, SkeletonRows, StatusBadge, Time } from "../ui";
import { format } from "../words";

/** One run: its steps, input and output. */
export function RunPage() {
  const { id } = useParams({ from: "/runs/$id" });
  const { data: run, error } = useRun(id);
  if (!run) return <Page title="Run">{error ? <ErrorNote error={error} /> : <SkeletonRows />}</Page>;
  return (
    <Page
      title={format.title(run.workflow)}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusBadge run={run.status} />
          <span>
            started by {run.owner} <Time at={run.started_at} />
          </span>
          <span>{format.money(run.usage.cost_usd ?? "0")} so far</span>
        </span>
      }
      actions={
        <Button asChild>
          <Link to="/runs/$id/replay" params={{ id }}>
            Replay
          </Link>
        </Button>
      }
    >
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="Steps" flush>
          <ul className="divide-y">
            {run.steps.map((step) => (
              <li key={step.id} className="flex min-h-9 items-center gap-3 px-4 py-1.5">
                <span className="min-w-0 flex-1 truncate">{format.title(step.id)}</span>
                {step.error && <span className="min-w-0 truncate text-small text-bad-text">{step.error.message}</span>}
                {step.started_at && (
                  <Elapsed from={step.started_at} to={step.ended_at} className="text-small text-muted" />
                )}
                <StatusBadge step={step.status} />
              </li>
            ))}
          </ul>
        </Card>
        <Card title="Input">
          <JsonView value={run.input} />
        </Card>
        <Card title="Output">
          <JsonView value={run.output} />
        </Card>
      </div>
    </Page>
  );
}
