import { useVirtualizer } from "@tanstack/react-virtual";
import { Ellipsis } from "lucide-react";
import { memo, useEffect, useRef } from "react";
import type { Event } from "../api/types";
import { cn } from "../lib/cn";
import { EmptyState } from "../ui";
import { eventWord, format } from "../words";
import { say, whoOf } from "./say";

const dots: Record<string, string> = {
  ok: "bg-ok-fill",
  warn: "bg-warn-fill",
  bad: "bg-bad-fill",
  info: "bg-accent",
  accent: "bg-accent",
  neutral: "bg-border-strong",
};

/** All events in words; only visible ones are drawn. */
export function EventList({ events, at, onGo }: { events: Event[]; at: number; onGo: (seq: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => 44,
    overscan: 4,
    initialRect: { width: 400, height: 600 },
  });
  const index = at - 1 < events.length && events[at - 1]?.seq === at ? at - 1 : events.findIndex((e) => e.seq === at);
  useEffect(() => {
    if (index >= 0) list.scrollToIndex(index, { align: "auto" });
  }, [index, list]);
  if (events.length === 0) return <EmptyState icon={Ellipsis} title="The log is being read" />;
  return (
    <div ref={box} className="h-full max-h-[70vh] overflow-y-auto md:max-h-none">
      <ol className="relative" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map((row) => {
          const event = events[row.index];
          if (!event) return null;
          const when = event.seq === at ? "now" : event.seq > at ? "later" : "past";
          return <Row key={row.key} event={event} when={when} top={row.start} height={row.size} onGo={onGo} />;
        })}
      </ol>
    </div>
  );
}

interface RowProps {
  event: Event;
  when: "past" | "now" | "later";
  top: number;
  height: number;
  onGo: (seq: number) => void;
}

const Row = memo(function Row({ event, when, top, height, onGo }: RowProps) {
  const word = eventWord(event.type);
  const text = say(event);
  return (
    <li className="absolute inset-x-0" style={{ height, transform: `translateY(${top}px)` }}>
      <button
        type="button"
        aria-current={when === "now" ? "step" : undefined}
        onClick={() => onGo(event.seq)}
        className={cn(
          "flex h-full w-full items-center gap-3 border-b px-4 text-left -outline-offset-2 hover:bg-hover",
          when === "now" && "bg-accent-bg",
        )}
      >
        <span className="w-9 shrink-0 text-right text-meta text-muted">{format.count(event.seq)}</span>
        <span
          aria-hidden
          className={cn("size-2 shrink-0 rounded-full", dots[word.tone], when === "later" && "opacity-40")}
        />
        <span className={cn("min-w-0 flex-1", when === "later" && "text-muted")}>
          <span className={cn("block truncate text-control", word.weight === 2 && "font-medium")} title={text}>
            {text}
          </span>
          <span className="block truncate text-meta text-muted">
            {whoOf(event)} · {format.clock(Date.parse(event.at))}
          </span>
        </span>
      </button>
    </li>
  );
});
