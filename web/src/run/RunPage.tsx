import { SearchX } from "lucide-react";
import { lazy, type ReactNode, Suspense, useCallback, useState } from "react";
import { ApiError, useApprovals, useDeliverables, useRun, useRunEvents } from "../api";
import { useOpenBelow } from "../api/below";
import type { Approval, Deliverable, Event, Run } from "../api/types";
import { RunGraph, Timeline, useGates } from "../graph";
import { asksModel } from "../graph/plan";
import { useNarrow, usePhone } from "../graph/usePhone";
import { Pending } from "../pending/Pending";
import { Link, usePageId } from "../router";
import { Page } from "../shell";
import { useShortcuts } from "../shell/shortcuts";
import { Button } from "../ui/Button";
import { DataNote } from "../ui/DataNote";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { Sheet } from "../ui/Sheet";
import { SkeletonRows } from "../ui/Skeleton";
import { type Tab, Tabs } from "../ui/Tabs";
import { format } from "../words";
import { CommandDialogs } from "./CommandDialogs";
import { CommandMenu } from "./CommandMenu";
import type { Asked } from "./commands";
import { Deliverables } from "./Deliverables";
import { EventLog } from "./EventLog";
import { Failure } from "./Failure";
import { Inspector } from "./Inspector";
import { hasPoints } from "./layers";
import { Overview } from "./Overview";
import { RunLead, RunNumbers } from "./RunHead";
import { Snapshots } from "./Snapshots";
import { messageField, Thread } from "./Thread";
import { usePlace } from "./usePlace";
import { Warnings } from "./Warnings";
import { pausedBy } from "./words";

const Plan = lazy(async () => ({ default: (await import("./Plan")).Plan }));

const noApprovals: Approval[] = [];
const noEvents: Event[] = [];
const noDeliverables: Deliverable[] = [];

/** One run: what it is doing and why, its pending approvals, and the available actions. */
export function RunPage() {
  const id = usePageId();
  const query = useRun(id);
  const { data: run, error } = query;
  if (run) return <Loaded key={run.id} run={run} />;
  if (!error)
    return (
      <Page title="Run">
        <SkeletonRows />
      </Page>
    );
  // isFetching is only looked at here: a page that looks at it is drawn again whenever its data is read again.
  return <NotShown error={error} retrying={query.isFetching} retry={() => void query.refetch()} />;
}

function NotShown({ error, retrying, retry }: { error: Error; retrying: boolean; retry: () => void }) {
  const toRuns = (
    <Button asChild look="filled">
      <Link to="/runs">To the runs</Link>
    </Button>
  );
  return (
    <Page title="Run">
      {error instanceof ApiError && error.code === "not_found" ? (
        <EmptyState icon={SearchX} title="Run not found" action={toRuns}>
          The link may be mistyped, or you may not view this run.
        </EmptyState>
      ) : (
        <ErrorNote
          error={error}
          action={
            <Button size="small" loading={retrying} onClick={retry}>
              Try again
            </Button>
          }
        />
      )}
    </Page>
  );
}

function Loaded({ run }: { run: Run }) {
  const phone = usePhone();
  const narrow = useNarrow();
  const place = usePlace(run.id, narrow);
  const gates = useGates(run);
  const { data: approvalList } = useApprovals({ run: run.id, sort: "age", limit: 1000 });
  const { data: events = noEvents } = useRunEvents(run.id);
  const { data: deliverableList } = useDeliverables({ run: run.id, limit: 1000 });
  const below = useOpenBelow(run);
  const approvals = approvalList?.items ?? noApprovals;
  const deliverables = deliverableList?.items ?? noDeliverables;
  const [asked, setAsked] = useState<Asked>();
  const step = run.steps.some((s) => s.id === place.step) ? place.step : undefined;

  useShortcuts([
    { keys: "escape", label: "Close the step", group: "Run", enabled: step !== undefined, run: () => place.setStep() },
    { keys: "t", label: "Thread", group: "Run", run: () => toThread() },
  ]);

  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const onOpen = useCallback(
    (id: string) => setOpened((all) => new Set(all.has(id) ? [...all].filter((other) => other !== id) : [...all, id])),
    [],
  );
  const graph = (
    <RunGraph
      run={run}
      gates={gates}
      approvals={approvals}
      selected={step}
      onSelect={place.setStep}
      opened={opened}
      onOpen={onOpen}
    />
  );
  // For a single agent with a model the conversation is what matters, so it takes the place of the graph.
  const talk = isTalk(run);
  const leads = talk && !narrow;
  const toThread = () => (leads ? document.getElementById(messageField)?.focus() : place.setTab("thread"));
  const thread = <Thread run={run} events={events} approvals={approvals} deliverables={deliverables} leads={leads} />;
  const parts: Parts = { run, events, approvals, deliverables, step, onSelect: place.setStep, thread };
  const steps = (
    <div className={leads ? "h-80" : "h-[420px] overflow-hidden rounded-md border max-sm:h-auto max-sm:border-0"}>
      {graph}
    </div>
  );
  const inspector = step && (
    <Inspector
      run={run}
      step={step}
      approvals={approvals}
      below={below?.items}
      onClose={() => place.setStep()}
      onCommand={setAsked}
    />
  );
  return (
    <Page title={format.title(run.workflow)} actions={<CommandMenu run={run} onAsk={setAsked} onMessage={toThread} />}>
      <div className="space-y-4">
        <div className="-mt-2 text-muted max-sm:mt-0">
          <RunLead run={run} below={below?.total} pausedBy={pausedBy(events)} />
        </div>
        <Failure
          run={run}
          onFork={() => setAsked({ type: "fork" })}
          onRaise={() => setAsked({ type: "raise" })}
          onSelect={place.setStep}
        />
        <Pending approvals={leads ? noApprovals : approvals} below={below} />
        <DataNote masked={run.masked} removed={run.removed} />
        <Warnings warnings={run.warnings} onSelect={place.setStep} />
        <RunNumbers run={run} approvals={approvals} events={events} />
        {narrow ? (
          <>
            {!phone && !talk && steps}
            <Panel
              tabs={inOrder(
                [
                  ...(phone || talk ? [{ value: "steps", label: "Steps", content: phone ? graph : steps }] : []),
                  ...tabsOf(parts),
                  dataTab(run),
                ],
                talk,
              )}
              tab={place.tab}
              onTab={place.setTab}
            />
            <Sheet
              open={step !== undefined}
              onOpenChange={(open) => !open && place.setStep()}
              title={format.title(step ?? "")}
            >
              {inspector}
            </Sheet>
          </>
        ) : (
          <>
            <div className="grid h-[clamp(400px,54vh,720px)] min-w-0 grid-cols-[minmax(0,1fr)_minmax(300px,380px)] overflow-hidden rounded-md border bg-surface lg:grid-cols-[minmax(0,1fr)_420px]">
              <div className="min-h-0 min-w-0 border-r bg-bg">{leads ? thread : graph}</div>
              <div className="min-h-0 overflow-y-auto">{inspector || <Overview run={run} />}</div>
            </div>
            <Panel
              tabs={
                leads
                  ? [
                      { value: "steps", label: "Steps", content: steps },
                      ...tabsOf(parts).filter((tab) => tab.value !== "thread"),
                    ]
                  : tabsOf(parts)
              }
              tab={place.tab}
              onTab={place.setTab}
            />
          </>
        )}
      </div>
      <CommandDialogs run={run} asked={asked} onClose={() => setAsked(undefined)} />
    </Page>
  );
}

/** A run of a single agent that calls a model, turn by turn. */
export function isTalk(run: Pick<Run, "steps" | "usage">): boolean {
  const [step, ...others] = run.steps;
  if (!step || others.length > 0) return false;
  // The usage of its only step is that of the run; the server does not report it for a step that has ended.
  return (
    (run.usage.llm_calls ?? 0) > 0 || asksModel(step) || (step.limits ?? []).some(({ limit }) => limit === "iterations")
  );
}

function inOrder(tabs: Tab[], talk: boolean): Tab[] {
  return talk ? tabs.toSorted((a, b) => Number(b.value === "thread") - Number(a.value === "thread")) : tabs;
}

function dataTab(run: Run): Tab {
  return {
    value: "data",
    label: "Data",
    content: (
      <div className="px-4 max-sm:pb-4">
        <Overview run={run} />
      </div>
    ),
  };
}

function Panel({ tabs, tab, onTab }: { tabs: Tab[]; tab: string | undefined; onTab: (tab: string) => void }) {
  const value = tabs.some((t) => t.value === tab) ? tab : tabs[0]?.value;
  return (
    <div className="min-w-0 rounded-md border bg-surface">
      <Tabs label="More about the run" tabs={tabs} value={value} onValueChange={onTab} />
    </div>
  );
}

interface Parts {
  run: Run;
  events: Event[];
  approvals: Approval[];
  deliverables: Deliverable[];
  step: string | undefined;
  onSelect: (step?: string) => void;
  thread: ReactNode;
}

function tabsOf({ run, events, approvals, deliverables, step, onSelect, thread }: Parts): Tab[] {
  const saved = events.filter((event) => event.type === "snapshot.saved").length;
  const counted = (label: string, n: number) => (n > 0 ? `${label} ${format.count(n)}` : label);
  return [
    {
      value: "timeline",
      label: "Timeline",
      content: (
        <Timeline
          run={run}
          approvals={approvals}
          events={events}
          selected={step}
          onSelect={onSelect}
          className="max-h-[60vh]"
        />
      ),
    },
    ...(hasPoints(events)
      ? [
          {
            value: "plan",
            label: "Plan",
            content: (
              <Suspense fallback={<SkeletonRows rows={3} />}>
                <Plan run={run} events={events} onSelect={onSelect} />
              </Suspense>
            ),
          },
        ]
      : []),
    {
      value: "thread",
      label: counted("Thread", run.thread.length),
      content: thread,
    },
    {
      value: "deliverables",
      label: counted("Deliverables", deliverables.length),
      content: <Deliverables run={run.id} items={deliverables} />,
    },
    ...(saved > 0
      ? [{ value: "snapshots", label: counted("Snapshots", saved), content: <Snapshots run={run.id} /> }]
      : []),
    { value: "events", label: counted("Events", events.length), content: <EventLog events={events} /> },
  ];
}
