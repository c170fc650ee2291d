import { useInsights, useWorkflows } from "../api";
import type { Search } from "../router";
import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Button, Card, ErrorNote, Select, Skeleton } from "../ui";
import { format } from "../words";
import { type Range, rangeOf, ranges } from "./figures";
import { Automatic, Cost, Failures, Outcomes, Pending, Runs, TimeToDecide } from "./Panels";

/** Decision metrics, each with a sentence that explains it. */
export function InsightsPage() {
  const search = useSearch();
  const navigate = useNavigate();
  const range = rangeOf(search.days);
  const workflow = search.workflow ?? "";
  const { data, error, refetch, isPlaceholderData } = useInsights({ since: `${range}d` }, workflow);
  const earlier = useInsights({ since: `${2 * Number(range)}d`, until: `${range}d` }, workflow);
  // Figures of different selections are not compared.
  const before = isPlaceholderData || earlier.isPlaceholderData ? undefined : earlier.data;
  const set = (change: Search) => void navigate({ search: (before) => ({ ...before, ...change }) }, { replace: true });
  return (
    <Page
      title="Insights"
      lead={isPlaceholderData ? "Counting …" : "Decision metrics"}
      actions={
        <>
          <WorkflowChoice value={workflow} onChange={(value) => set({ workflow: value || undefined })} />
          <RangeChoice value={range} onChange={(value) => set({ days: value === "30" ? undefined : value })} />
        </>
      }
    >
      {error && (
        <div className="mb-4">
          <ErrorNote
            error={error}
            action={
              <Button size="small" onClick={() => void refetch()}>
                Try again
              </Button>
            }
          />
        </div>
      )}
      {!data && !error && <Waiting />}
      {data && (
        <div aria-busy={isPlaceholderData} className="space-y-4">
          {/* Cards of very different heights: columns fill up, and no card is larger than its content. */}
          <div className="gap-4 *:mb-4 *:break-inside-avoid md:columns-2 lg:columns-3">
            <Pending figures={data} range={range} />
            <Failures figures={data} before={before} range={range} />
            <Automatic figures={data} before={before} range={range} />
            <TimeToDecide figures={data} before={before} range={range} />
            <Runs figures={data} before={before} range={range} />
          </div>
          <Outcomes figures={data} before={before} range={range} />
          <Cost figures={data} before={before} range={range} />
        </div>
      )}
    </Page>
  );
}

function WorkflowChoice({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data } = useWorkflows();
  const names = data?.items.map((w) => w.name) ?? [];
  const all = value && !names.includes(value) ? [...names, value] : names;
  return (
    <Select
      label="Workflow"
      className="max-w-56"
      value={value}
      onValueChange={onChange}
      options={[
        { value: "", label: "All workflows" },
        ...all.map((name) => ({ value: name, label: format.title(name) })),
      ]}
    />
  );
}

function RangeChoice({ value, onChange }: { value: Range; onChange: (value: Range) => void }) {
  return (
    <fieldset aria-label="Time" className="flex overflow-hidden rounded-sm border border-border-strong bg-surface">
      {(Object.keys(ranges) as Range[]).map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={value === range}
          onClick={() => onChange(range)}
          className="h-(--tap) px-2.5 text-control text-muted hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:text-accent-text"
        >
          {ranges[range]}
        </button>
      ))}
    </fieldset>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-4 md:grid-cols-2 lg:grid-cols-3">
      {Array.from({ length: 6 }, (_, i) => (
        <Card key={i} title={<Skeleton className="h-3 w-24" />}>
          <Skeleton className="mb-3 h-8 w-20" />
          <Skeleton className="h-24" />
        </Card>
      ))}
    </div>
  );
}
