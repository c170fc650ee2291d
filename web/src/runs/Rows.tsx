import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect } from "react";
import type { Approval, RunSummary } from "../api/types";
import { usePhone } from "../graph/usePhone";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Checkbox } from "../ui/Checkbox";
import { Progress } from "../ui/Progress";
import { StatusBadge } from "../ui/StatusBadge";
import { TestBadge } from "../ui/TestBadge";
import { Time } from "../ui/Time";
import { format } from "../words";
import { type About, about, Duration, spent, waiting } from "./columns";
import { useFailed } from "./useFailed";

interface Props {
  runs: RunSummary[];
  open: Map<string, Approval[]>;
  rows: Virtualizer<HTMLElement, Element>;
  cursor: number;
  selected: ReadonlySet<string>;
  onToggle: (id: string) => void;
  /** Called when the end of the loaded rows comes into view. */
  onEnd: () => void;
}

// One template for header and rows, so that they align.
export const grid =
  "grid grid-cols-[28px_112px_minmax(120px,1fr)_minmax(140px,3.4fr)_104px_minmax(88px,0.8fr)_56px_76px_68px] items-center gap-x-3 max-lg:grid-cols-[20px_116px_minmax(0,1fr)_minmax(0,1.5fr)_72px_minmax(0,0.9fr)_72px] max-md:gap-x-2";
const none: Approval[] = [];

/**
 * Tracks the visible rows. It belongs to the component that draws the box: on return, box and rows are drawn at the
 * same moment, and a component inside the box would use it before it exists.
 */
export function useRows(runs: RunSummary[], box: RefObject<HTMLElement | null>): Virtualizer<HTMLElement, Element> {
  const phone = usePhone();
  return useVirtualizer<HTMLElement, Element>({
    count: runs.length,
    getScrollElement: () => box.current,
    estimateSize: () => (phone ? 104 : 36),
    overscan: 10,
    getItemKey: (i) => runs[i]?.id ?? i,
  });
}

/** Runs as rows of a table, or as cards on a phone; only visible ones are drawn. */
export function Rows({ runs, open, rows, cursor, selected, onToggle, onEnd }: Props) {
  const phone = usePhone();
  const items = rows.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= runs.length - 15) onEnd();
  }, [last, runs.length, onEnd]);
  useEffect(() => {
    if (cursor >= 0) rows.scrollToIndex(cursor, { align: "auto" });
  }, [cursor, rows]);
  return (
    <div role={phone ? "list" : "rowgroup"} className="relative" style={{ height: rows.getTotalSize() }}>
      {items.map((item) => {
        const run = runs[item.index];
        if (!run) return null;
        const props = {
          run,
          open: open.get(run.id) ?? none,
          active: item.index === cursor,
          selected: selected.has(run.id),
          onToggle: () => onToggle(run.id),
        };
        return (
          <div
            key={item.key}
            data-index={item.index}
            ref={phone ? rows.measureElement : undefined}
            className="absolute inset-x-0"
            style={{ transform: `translateY(${item.start}px)` }}
            role="presentation"
          >
            {phone ? <RunCard {...props} /> : <RunRow {...props} index={item.index} />}
          </div>
        );
      })}
    </div>
  );
}

const colour = (tone: About["tone"]) =>
  tone === "bad" ? "text-bad-text" : tone === "warn" ? "text-warn-text" : "text-muted";

interface RowProps {
  run: RunSummary;
  open: Approval[];
  active: boolean;
  selected: boolean;
  onToggle: () => void;
}

function RunRow({ run, open, active, selected, onToggle, index }: RowProps & { index: number }) {
  const { text, title, tone } = about(run, open, useFailed(run));
  const who = waiting(run, open);
  const { done, total, percent } = run.progress;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: not interactive; the links and boxes inside are focusable
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      className={cn(
        grid,
        "relative h-[36px] border-b px-4 hover:bg-hover",
        selected && "bg-accent-bg",
        active && "shadow-[inset_2px_0_0_var(--accent)] bg-hover",
      )}
    >
      <span role="cell" className="relative z-10 flex">
        <Checkbox checked={selected} onCheckedChange={onToggle} label={`Select ${format.title(run.workflow)}`} />
      </span>
      <span role="cell" className="min-w-0">
        <StatusBadge run={run.status} cancelling={run.cancelling} />
      </span>
      <span role="cell" className="flex min-w-0 items-center gap-2 font-medium">
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          title={format.title(run.workflow)}
          data-run={run.id}
          className="min-w-0 truncate after:absolute after:inset-0 focus-visible:outline-none after:focus-visible:outline-2 after:focus-visible:-outline-offset-2 after:focus-visible:outline-accent"
        >
          {format.title(run.workflow)}
        </Link>
        <TestBadge test={run.test_mode} className="shrink-0" />
      </span>
      <span role="cell" title={title} className={cn("relative min-w-0 truncate", colour(tone))}>
        {text}
      </span>
      <span
        role="cell"
        className="flex items-center gap-2 text-small"
        title={`${done} of ${total} steps are done, failed or left out.`}
      >
        <Progress percent={percent} label={`${done} of ${total} steps done`} className="w-14 max-lg:w-7" />
        <span className="text-muted">
          {done}/{total}
        </span>
      </span>
      <span role="cell" title={who} className="relative min-w-0 truncate text-warn-text">
        {who.replace(/^anyone\b/, "Anyone")}
      </span>
      <span
        role="cell"
        className="text-right text-muted max-lg:hidden"
        title="Reported by agents and tools, in US dollars."
      >
        {spent(run) && format.money(run.cost_usd)}
      </span>
      <span role="cell" className="relative text-right text-muted">
        <Time at={run.started_at} />
      </span>
      <span
        role="cell"
        className="text-right text-muted max-lg:hidden"
        title="From the start to the end, or until now."
      >
        <Duration run={run} />
      </span>
    </div>
  );
}

function RunCard({ run, open, selected, onToggle }: RowProps) {
  const { text, title, tone } = about(run, open, useFailed(run));
  const who = waiting(run, open);
  return (
    <div role="listitem" className={cn("relative flex gap-3 border-b px-4 py-3", selected && "bg-accent-bg")}>
      <span className="relative z-10 pt-1">
        <Checkbox checked={selected} onCheckedChange={onToggle} label={`Select ${format.title(run.workflow)}`} />
      </span>
      <div className="min-w-0 flex-1 space-y-1">
        <div className="flex items-start gap-2">
          <Link
            to="/runs/$id"
            params={{ id: run.id }}
            className="min-w-0 flex-1 font-medium break-words after:absolute after:inset-0"
          >
            {format.title(run.workflow)}
          </Link>
          <TestBadge test={run.test_mode} className="shrink-0" />
          <StatusBadge run={run.status} cancelling={run.cancelling} />
        </div>
        {text && (
          <p title={title} className={cn("line-clamp-2 break-words", colour(tone))}>
            {text}
          </p>
        )}
        {who && <p className="text-small text-warn-text">Waits for {who}</p>}
        <div className="flex items-center gap-2 text-small text-muted">
          <Progress
            percent={run.progress.percent}
            label={`${run.progress.done} of ${run.progress.total} steps done`}
            className="max-w-20"
          />
          <span>
            {run.progress.done}/{run.progress.total} steps
          </span>
          <span className="flex-1" />
          {spent(run) && <span>{format.money(run.cost_usd)}</span>}
          <Time at={run.started_at} />
        </div>
      </div>
    </div>
  );
}
