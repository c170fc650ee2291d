import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { format } from "../words";
import { type MarkKind, type Marks, tickPath } from "./marks";
import type { Scale } from "./scale";

export const markLooks: Record<MarkKind, { stroke: string; dot: string; one: string; many: string }> = {
  wait: { stroke: "stroke-warn-fill", dot: "bg-warn-fill", one: "wait", many: "waits" },
  decision: { stroke: "stroke-accent", dot: "bg-accent", one: "decision", many: "decisions" },
  failure: { stroke: "stroke-bad-fill", dot: "bg-bad-fill", one: "failure", many: "failures" },
};

interface Props {
  at: number;
  last: number;
  marks: Marks;
  scale: Scale;
  /** The label of an event under the pointer. */
  name: (seq: number) => string;
  /** The other position of a comparison. */
  pinned?: number;
  onGo: (seq: number) => void;
  /** The event at the position, for screen readers. */
  text: string;
}

/** The log on a time line. Ticks mark notable events. */
export function Scrubber({ at, last, marks, scale, name, pinned, onGo, text }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState<number>();
  const ticks = useMemo(
    () => (Object.keys(markLooks) as MarkKind[]).map((kind) => ({ kind, path: tickPath(marks[kind], scale) })),
    [marks, scale],
  );
  const seqAt = (event: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (!box || box.width === 0) return at;
    return scale.seqAt((event.clientX - box.left) / box.width);
  };
  const drag = (event: PointerEvent) => {
    setOver(event.pointerType === "mouse" ? seqAt(event) : undefined);
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onGo(seqAt(event));
  };
  const press = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    onGo(seqAt(event));
  };
  // Arrows, Home and End work everywhere on the page; these keys are specific to sliders.
  const keys = (event: KeyboardEvent) => {
    const step = Math.max(10, Math.round(last / 20));
    if (event.key === "PageUp" || event.key === "PageDown") {
      event.preventDefault();
      onGo(at + (event.key === "PageUp" ? step : -step));
    }
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Position in the log"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, last)}
      aria-valuenow={at}
      aria-valuetext={`Event ${format.count(at)} of ${format.count(last)}. ${text}`}
      onPointerDown={press}
      onPointerMove={drag}
      onPointerLeave={() => setOver(undefined)}
      onKeyDown={keys}
      className="relative h-11 cursor-pointer touch-none rounded-sm px-2 select-none"
    >
      <div ref={track} className="relative h-full">
        <div aria-hidden className="absolute inset-x-0 top-5 h-1.5 overflow-hidden rounded-full bg-neutral-bg">
          <div className="h-full bg-accent/35" style={{ width: `${scale.place(at) * 100}%` }} />
        </div>
        <svg
          aria-hidden
          viewBox="0 0 1000 10"
          preserveAspectRatio="none"
          className="absolute inset-x-0 top-2.5 h-6.5 w-full"
        >
          {ticks.map(({ kind, path }) => (
            <path
              key={kind}
              d={path}
              className={markLooks[kind].stroke}
              strokeWidth={2}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
        {over !== undefined && (
          <div
            aria-hidden
            className="pointer-events-none absolute top-1 bottom-0 w-px bg-muted"
            style={{ left: `${scale.place(over) * 100}%` }}
          >
            <span
              className="absolute -top-1 rounded-[4px] bg-raised px-1 text-meta whitespace-nowrap text-muted shadow-overlay"
              style={scale.place(over) > 0.5 ? { right: 4 } : { left: 4 }}
            >
              {name(over)}
            </span>
          </div>
        )}
        {pinned !== undefined && (
          <Flag at={scale.place(pinned)} className="bg-info-text text-surface">
            A
          </Flag>
        )}
        <div
          aria-hidden
          className="absolute top-3.5 size-4.5 -translate-x-1/2 rounded-full border-2 border-surface bg-accent shadow-overlay"
          style={{ left: `${scale.place(at) * 100}%` }}
        />
      </div>
    </div>
  );
}

function Flag({ at, className, children }: { at: number; className: string; children: string }) {
  return (
    <span
      aria-hidden
      className={`absolute top-0 flex size-4 -translate-x-1/2 items-center justify-center rounded-[4px] text-meta font-semibold ${className}`}
      style={{ left: `${at * 100}%` }}
    >
      {children}
    </span>
  );
}
