import "./timeline.css";
import { FoldHorizontal, Maximize, Minus, Plus } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Approval, Event, Run } from "../api/types";
import { cn } from "../lib/cn";
import { Button, IconButton } from "../ui/Button";
import { useClock } from "../ui/clock";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { format, stepStatus } from "../words";
import { shownStatus } from "./plan";
import { marks, mostlyIdle, nameOf, type Row, type Scale, type Span, type Spans, scaleOf, spansOf } from "./spans";
import { toneText } from "./tones";

export interface TimelineProps {
  run: Run;
  approvals?: Approval[];
  /** The run's events: with them, attempts become separate segments. */
  events?: Event[];
  selected?: string;
  onSelect: (step: string | undefined) => void;
  /** The current time in milliseconds; the clock by default. */
  now?: number;
  className?: string;
}

const none: Approval[] = [];
/** Space after the end, so that the latest bar does not touch the edge. */
const endRoom = 12;
const rowHeight = 32;
/**
 * Only rows near the visible ones are drawn, since the clock redraws them every second; they are added and removed in
 * blocks of this many.
 */
const blockRows = 8;

/** When steps worked (solid), and when they waited for people (hatched, with names). */
export function Timeline({ run, approvals = none, events, selected, onSelect, now: given, className }: TimelineProps) {
  const going = run.ended_at === null && given === undefined;
  const clock = useClock((ms) => (going ? Math.floor(ms / 1000) * 1000 : 0));
  const now = given ?? (going ? clock : run.ended_at ? Date.parse(run.ended_at) : clock);
  const spans = useMemo(() => spansOf(run, approvals, events, now), [run, approvals, events, now]);
  const [zoom, setZoom] = useState(1);
  const [wanted, setWanted] = useState<boolean>();
  const squeeze = wanted ?? mostlyIdle(spans);
  const scale = useMemo(() => scaleOf(spans, squeeze), [spans, squeeze]);
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const label = width < 560 ? 112 : 176;
  const track = Math.max(120, width - label - endRoom) * zoom;
  const [block, setBlock] = useState(0);
  const first = Math.max(0, (block - 1) * blockRows);
  const last = first + 3 * blockRows + Math.ceil(height / rowHeight);
  if (spans.rows.length === 0) return <p className="p-4 text-muted">Nothing has started yet.</p>;
  return (
    <div className={cn("flex min-h-0 min-w-0 flex-col", className)}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-1 text-small text-muted">
        <Legend spans={spans} />
        <span className="flex-1" />
        <Button
          size="small"
          look="ghost"
          aria-pressed={squeeze}
          className="aria-pressed:bg-accent-bg aria-pressed:text-accent-text"
          title="Shortens periods in which no step was running."
          onClick={() => setWanted(!squeeze)}
        >
          <FoldHorizontal /> Collapse idle time
        </Button>
        <span className="flex gap-x-4">
          <IconButton label="Shorter times" className="size-7" onClick={() => setZoom((z) => Math.min(512, z * 2))}>
            <Plus />
          </IconButton>
          <IconButton label="Longer times" className="size-7" onClick={() => setZoom((z) => Math.max(1, z / 2))}>
            <Minus />
          </IconButton>
          <IconButton label="Fit all of it" className="size-7" onClick={() => setZoom(1)}>
            <Maximize />
          </IconButton>
        </span>
      </div>
      <section
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        tabIndex={0}
        aria-label="Timeline"
        onScroll={(event) => setBlock(Math.floor(event.currentTarget.scrollTop / (rowHeight * blockRows)))}
        className="min-h-0 flex-1 overflow-auto -outline-offset-2"
      >
        <div style={{ width: label + track + endRoom }} className="relative">
          <Ruler spans={spans} scale={scale} label={label} track={track} />
          <ul
            className={cn(run.ended_at === null && "until-now")}
            style={{
              height: spans.rows.length * rowHeight,
              paddingTop: first * rowHeight,
              backgroundPositionX: label + scale.place(Math.min(now, spans.to)) * track - 1,
            }}
          >
            {spans.rows.slice(first, last).map((row, i) => (
              <RowView
                key={row.id}
                row={row}
                place={first + i + 1}
                of={spans.rows.length}
                scale={scale}
                label={label}
                track={track}
                selected={row.id === selected}
                onSelect={() => row.step && onSelect(row.id === selected ? undefined : row.id)}
              />
            ))}
          </ul>
        </div>
      </section>
    </div>
  );
}

const legend: [look: string, label: string, has: (span: Span) => boolean][] = [
  ["bg-ok-fill", "Work", (span) => span.kind === "work" && span.end === "done"],
  ["bg-accent", "Running", (span) => span.end === "running"],
  ["hatched", "Waiting for people", (span) => span.kind === "wait"],
  ["bg-bad-fill", "Failed try", (span) => span.end === "failed"],
  ["bg-border-strong", "Cancelled", (span) => span.end === "cancelled"],
];

/** The meaning of the colours in use. */
function Legend({ spans }: { spans: Spans }) {
  const all = spans.rows.flatMap((row) => row.spans);
  return legend
    .filter(([, , has]) => all.some(has))
    .map(([look, label]) => (
      <span key={label} className="flex items-center gap-1.5">
        <span aria-hidden className={cn("h-2.5 w-5 rounded-[3px]", look)} />
        {label}
      </span>
    ));
}

function Ruler({ spans, scale, label, track }: { spans: Spans; scale: Scale; label: number; track: number }) {
  return (
    <div aria-hidden className="sticky top-0 z-20 flex h-6 border-b bg-surface text-meta text-muted">
      <div className="sticky left-0 z-10 shrink-0 border-r bg-surface px-4 leading-6" style={{ width: label }}>
        Since start
      </div>
      <div className="relative" style={{ width: track }}>
        {marks(spans, scale, track).map((mark) => (
          <span
            key={mark.at}
            title={format.exact(mark.at)}
            className={cn(
              "absolute top-0 h-6 leading-6 whitespace-nowrap",
              mark.at === spans.to ? "-translate-x-full border-r pr-1" : "border-l pl-1",
            )}
            style={{ left: scale.place(mark.at) * track }}
          >
            {mark.label}
          </span>
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  row: Row;
  place: number;
  of: number;
  scale: Scale;
  label: number;
  track: number;
  selected: boolean;
  onSelect: () => void;
}

function RowView({ row, place, of, scale, label, track, selected, onSelect }: RowProps) {
  const word = row.step && stepStatus[shownStatus({ step: row.step, waits: row.waits })];
  const Icon = word?.icon;
  return (
    <li
      aria-posinset={place}
      aria-setsize={of}
      className={cn("flex h-8 border-b border-border/60", selected && "bg-accent-bg")}
    >
      <button
        type="button"
        disabled={!row.step}
        aria-pressed={row.step ? selected : undefined}
        onClick={onSelect}
        title={row.label}
        style={{ width: label }}
        className={cn(
          "sticky left-0 z-10 flex shrink-0 items-center gap-2 border-r px-4 text-left text-small -outline-offset-2",
          selected ? "bg-accent-bg" : "bg-surface hover:not-disabled:bg-hover",
        )}
      >
        {row.branch && (
          <span aria-hidden className={cn("absolute left-1.5 w-0.5 bg-border-strong", rails[row.branch])} />
        )}
        {Icon && <Icon aria-hidden className={cn("size-3.5 shrink-0", toneText[word.tone])} />}
        <span className="truncate">{row.label}</span>
        <VisuallyHidden>{row.spans.map((span) => span.title).join(" ")}</VisuallyHidden>
      </button>
      <div aria-hidden className="relative" style={{ width: track }}>
        {row.spans.map((span, i) => (
          <Bar key={i} span={span} scale={scale} track={track} room={roomBehind(span, row.spans, scale, track)} />
        ))}
      </div>
    </li>
  );
}

/** The line that connects the steps of a branch. */
const rails = { first: "top-2 bottom-0", inner: "inset-y-0", last: "top-0 bottom-2" } as const;

/** The distance from a bar to the next one, or to the end. */
function roomBehind(span: Span, all: Span[], scale: Scale, track: number): number {
  const { left, width } = barOf(span, scale, track);
  const later = all.filter((other) => other !== span).map((other) => barOf(other, scale, track).left);
  return Math.min(track, ...later.filter((x) => x >= left + 1)) - left - width;
}

const fills: Record<NonNullable<Span["end"]>, string> = {
  done: "bg-ok-fill",
  failed: "bg-bad-fill",
  running: "bg-accent",
  cancelled: "bg-border-strong",
};

const thinnest = 3;

/** The position of a bar: never too thin to see, and never beyond the end. */
export function barOf(span: Pick<Span, "from" | "to">, scale: Scale, track: number): { left: number; width: number } {
  const from = scale.place(span.from) * track;
  const width = Math.max(thinnest, scale.place(span.to) * track - from);
  return { left: Math.max(0, Math.min(from, track - width)), width };
}

/** The approximate width of a letter; names that are still too long are truncated. */
const letter = 7;

function Bar({ span, scale, track, room }: { span: Span; scale: Scale; track: number; room: number }) {
  const { left, width } = barOf(span, scale, track);
  const wait = span.kind === "wait";
  const name = nameOf(span);
  const needed = name.length * letter + 8;
  const behind = room >= needed && !(wait && width > needed);
  const inside = !behind && (width >= needed + 12 || (wait && width > 72));
  return (
    <>
      <div
        title={span.title}
        className={cn(
          "absolute flex items-center overflow-hidden rounded-[3px]",
          wait ? "hatched top-1.5 h-5" : `top-2 h-4 ${fills[span.end ?? "done"]}`,
        )}
        style={{ left, width }}
      >
        {inside && (
          <span
            className={cn(
              "ml-1.5 truncate rounded-[3px] px-1 text-meta leading-4",
              wait ? "bg-warn-bg text-warn-text" : "bg-surface text-text",
            )}
          >
            {name}
          </span>
        )}
      </div>
      {behind && (
        <span
          className="absolute top-2 text-meta leading-4 whitespace-nowrap text-muted"
          style={{ left: left + width + 4 }}
        >
          {name}
        </span>
      )}
    </>
  );
}

function useSize(box: React.RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 800, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() =>
      setSize({ width: element.clientWidth || 800, height: element.clientHeight || 800 }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return size;
}
