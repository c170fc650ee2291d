import { CircleSlash, Lightbulb, Play, Unplug, Workflow } from "lucide-react";
import { useCallback, useMemo, useRef, useState } from "react";
import { useApprovals, useMay, useRunPages } from "../api";
import { above } from "../api/below";
import type { Approval, RunSummary } from "../api/types";
import { usePhone } from "../graph/usePhone";
import { useLostSince } from "../live";
import { useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { useCommands } from "../shell/commands";
import { useShortcuts } from "../shell/shortcuts";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { Kbd } from "../ui/Kbd";
import { SkeletonRows } from "../ui/Skeleton";
import { format } from "../words";
import { BulkCancel } from "./BulkCancel";
import { ended } from "./columns";
import { Filters, FiltersButton, Views } from "./Filters";
import { type Chosen, chosenOf, filterOf, isFiltered, searchOf, today } from "./filter";
import { grid, Rows, useRows } from "./Rows";
import { StartRun } from "./StartRun";

const none: RunSummary[] = [];

/** All runs, newest first. */
export function RunsPage() {
  const navigate = useNavigate();
  const search = useSearch();
  const chosen = useMemo(() => chosenOf(search), [search]);
  const list = useRunPages(filterOf(chosen));
  const { runs, whole } = useShown(list.data?.items, chosen, list.hasNextPage);
  const open = useOpenApprovals();
  const phone = usePhone();
  const may = useMay();
  const box = useRef<HTMLDivElement>(null);
  const inView = useRows(runs, box);
  const [cursor, setCursor] = useState(-1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtering, setFiltering] = useState(false);
  const [dialog, setDialog] = useState<"start" | "cancel">();

  const choose = (next: Chosen) => {
    setCursor(-1);
    setSelected(new Set());
    void navigate({ to: "/runs", search: searchOf(next) });
  };
  const toggle = (id: string) =>
    setSelected((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const move = (by: number) => setCursor((now) => Math.max(0, Math.min(runs.length - 1, now + by)));
  const here = runs[cursor];
  useShortcuts([
    { keys: "j", label: "Next run", group: "Runs", run: () => move(1) },
    { keys: "k", label: "Previous run", group: "Runs", run: () => move(-1) },
    {
      keys: "enter",
      label: "Open the run",
      group: "Runs",
      enabled: here !== undefined,
      run: () => here && void navigate({ to: "/runs/$id", params: { id: here.id } }),
    },
    {
      keys: "x",
      label: "Select the run",
      group: "Runs",
      enabled: here !== undefined,
      run: () => here && toggle(here.id),
    },
    { keys: "n", label: "Start a run", group: "Runs", enabled: may("start"), run: () => setDialog("start") },
  ]);
  useCommands([
    ...(may("start")
      ? [{ id: "start run", label: "Start a run", group: "Runs", icon: Play, keys: "n", run: () => setDialog("start") }]
      : []),
    ...(may("view")
      ? [
          {
            id: "suggest plan",
            label: "Suggest a plan",
            group: "Runs",
            icon: Lightbulb,
            run: () => void navigate({ to: "/suggest" }),
          },
        ]
      : []),
  ]);

  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !whole) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, whole, fetchNextPage]);

  const chosenRuns = runs.filter((run) => selected.has(run.id));
  const all = runs.length > 0 && chosenRuns.length === runs.length;
  const rows = (
    <Rows runs={runs} open={open} rows={inView} cursor={cursor} selected={selected} onToggle={toggle} onEnd={onEnd} />
  );
  return (
    <Page
      flush
      title="Runs"
      lead={
        <Total
          count={whole || chosen.since ? runs.length : list.data?.total}
          more={list.data?.totalIsLowerBound ?? false}
        />
      }
      actions={
        <>
          {may("view") && (
            <Button onClick={() => void navigate({ to: "/suggest" })}>
              <Lightbulb /> Suggest a plan
            </Button>
          )}
          {may("start") && (
            <Button look="filled" onClick={() => setDialog("start")}>
              <Play /> Start a run <Kbd keys="n" />
            </Button>
          )}
        </>
      }
    >
      <div className="flex items-center pb-2 max-sm:gap-2 max-sm:pr-4">
        <Views chosen={chosen} onChange={choose} />
        <FiltersButton chosen={chosen} open={filtering} onOpen={() => setFiltering(!filtering)} />
      </div>
      <Filters chosen={chosen} onChange={choose} open={filtering} />
      {chosenRuns.length > 0 && (
        <Bar runs={chosenRuns} onClear={() => setSelected(new Set())} onCancel={() => setDialog("cancel")} />
      )}
      <div ref={box} data-keep-scroll="runs" className="min-h-0 flex-1 overflow-y-auto border-t bg-surface">
        {list.isPending && <SkeletonRows className="h-9" rows={12} />}
        {list.error && !list.data && (
          <div className="p-4">
            <ErrorNote error={list.error} />
          </div>
        )}
        {list.data && runs.length === 0 && (
          <Nothing
            chosen={chosen}
            onClear={() => choose(chosenOf({}))}
            onStart={may("start") ? () => setDialog("start") : undefined}
          />
        )}
        {runs.length > 0 &&
          (phone ? (
            rows
          ) : (
            <div role="table" aria-label="Runs" aria-rowcount={runs.length + 1}>
              <Head
                all={all}
                some={chosenRuns.length > 0}
                onAll={(on) => setSelected(new Set(on ? runs.map((r) => r.id) : []))}
              />
              {rows}
            </div>
          ))}
        {isFetchingNextPage && <SkeletonRows rows={2} className="h-9" />}
      </div>
      {dialog === "start" && <StartRun first={chosen.workflow || undefined} onClose={() => setDialog(undefined)} />}
      {dialog === "cancel" && (
        <BulkCancel
          ids={chosenRuns.map((run) => run.id)}
          onClose={() => setDialog(undefined)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </Page>
  );
}

/** The runs to show. They come newest first, so the list ends at the first that started before today. */
function useShown(
  items: RunSummary[] | undefined,
  chosen: Chosen,
  more: boolean,
): { runs: RunSummary[]; whole: boolean } {
  return useMemo(() => {
    if (!items) return { runs: none, whole: false };
    if (!chosen.since) return { runs: items, whole: !more };
    const from = today(new Date());
    const runs = items.filter((run) => Date.parse(run.started_at) >= from);
    return { runs, whole: runs.length < items.length || !more };
  }, [items, chosen.since, more]);
}

/** Pending approvals by run and by its ancestors: one request for the whole table. */
function useOpenApprovals(): Map<string, Approval[]> {
  const { data } = useApprovals({ status: ["pending"], sort: "age", limit: 1000 });
  return useMemo(() => {
    const out = new Map<string, Approval[]>();
    for (const approval of data?.items ?? [])
      for (const run of [approval.run, ...above(approval.run)]) out.set(run, [...(out.get(run) ?? []), approval]);
    return out;
  }, [data]);
}

function Total({ count, more }: { count: number | undefined; more: boolean }) {
  if (count === undefined) return null;
  return (
    <>
      {format.plural(count, "run")}
      {more && " or more"}
    </>
  );
}

const heads = [
  ["Status", ""],
  ["Workflow", ""],
  ["About", "What it is about: why it failed, what it asks, its labels."],
  ["Progress", "Steps that are done, failed or left out, of all steps."],
  ["Waits for", "Who has to decide."],
  ["Cost", "Reported by agents and tools, in US dollars."],
  ["Started", ""],
  ["Took", "From the start to the end, or until now."],
] as const;
const right = new Set(["Cost", "Started", "Took"]);
const wideOnly = new Set(["Cost", "Took"]);

function Head({ all, some, onAll }: { all: boolean; some: boolean; onAll: (on: boolean) => void }) {
  return (
    <div role="rowgroup" className="sticky top-0 z-20 border-b bg-surface">
      {/* biome-ignore lint/a11y/useFocusableInteractive: not interactive; the links and boxes inside are focusable */}
      <div role="row" aria-rowindex={1} className={`${grid} h-8 px-4 text-small text-muted`}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: not interactive; the links and boxes inside are focusable */}
        <span role="columnheader" className="flex">
          <Checkbox
            checked={all ? true : some ? "indeterminate" : false}
            onCheckedChange={onAll}
            label="Select all that are loaded"
          />
        </span>
        {heads.map(([name, how]) => (
          // biome-ignore lint/a11y/useFocusableInteractive: not interactive; the links and boxes inside are focusable
          <span
            key={name}
            role="columnheader"
            title={how || undefined}
            className={`${right.has(name) ? "text-right" : ""} ${wideOnly.has(name) ? "max-lg:hidden" : ""}`}
          >
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

function Bar({ runs, onClear, onCancel }: { runs: RunSummary[]; onClear: () => void; onCancel: () => void }) {
  const going = runs.filter((run) => !ended(run)).length;
  return (
    <section
      aria-label="Selection"
      className="motion-fade flex items-center gap-2 border-t bg-accent-bg px-4 py-2 sm:px-6"
    >
      <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
        <span className="font-medium text-accent-text">{format.plural(runs.length, "run")} selected</span>
        <span className="text-small text-muted">
          {going === 0 ? "all have ended" : `${format.count(going)} not ended`}
        </span>
      </div>
      <Button onClick={onClear}>Clear</Button>
      <Button look="danger-outlined" disabled={going === 0} onClick={onCancel}>
        <CircleSlash /> Cancel…
      </Button>
    </section>
  );
}

function Nothing({ chosen, onClear, onStart }: { chosen: Chosen; onClear: () => void; onStart?: () => void }) {
  const lostSince = useLostSince();
  if (lostSince !== undefined) {
    return (
      <EmptyState icon={Unplug} title="Connection lost">
        Since {format.clock(lostSince)} nothing new can be shown. It comes back by itself.
      </EmptyState>
    );
  }
  if (isFiltered(chosen)) {
    return (
      <EmptyState icon={Workflow} title="No matching runs" action={<Button onClick={onClear}>Show all runs</Button>}>
        Your filter hides what there is.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={Workflow}
      title="No runs yet"
      action={
        onStart && (
          <Button look="filled" onClick={onStart}>
            <Play /> Start a run
          </Button>
        )
      }
    >
      {onStart ? (
        <>
          Start one here, or with <code>assent run NAME</code>.
        </>
      ) : (
        "Runs that you may see appear here."
      )}
    </EmptyState>
  );
}
