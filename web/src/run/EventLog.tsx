import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { Event } from "../api/types";
import { toneText } from "../graph/tones";
import { cn } from "../lib/cn";
import { Button } from "../ui/Button";
import { headOf } from "../ui/FoldedText";
import { Input } from "../ui/Input";
import { JsonView } from "../ui/JsonView";
import { Select } from "../ui/Select";
import { Time } from "../ui/Time";
import { actorKind, eventWord, format } from "../words";
import { tell } from "./tell";

const kinds = [
  { value: "", label: "What matters" },
  { value: "all", label: "Everything" },
  { value: "step", label: "Steps" },
  { value: "approval", label: "Decisions" },
  { value: "call", label: "Tool calls" },
  { value: "turn", label: "Turns of models" },
  { value: "run", label: "The run itself" },
];

/** Whether an event matches the filter. */
export function wanted(event: Event, kind: string, query: string): boolean {
  const [subject] = event.type.split(".");
  if (kind === "" && eventWord(event.type).weight === 0) return false;
  if (kind !== "" && kind !== "all" && subject !== kind) return false;
  if (query === "") return true;
  const text = `${tell(event)} ${event.type} ${event.actor.name ?? ""} ${event.data?.$json ?? ""}`.toLowerCase();
  return text.includes(query.toLowerCase());
}

/** All events of the run in words, with the recorded data on demand. */
export function EventLog({ events }: { events: Event[] }) {
  const [kind, setKind] = useState("");
  const [query, setQuery] = useState("");
  const shown = useMemo(() => events.filter((e) => wanted(e, kind, query.trim())).reverse(), [events, kind, query]);
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2 border-b p-2">
        <Select label="Which events" value={kind} onValueChange={setKind} options={kinds} />
        <Input
          type="search"
          aria-label="Find in events"
          placeholder="Find in events"
          value={query}
          onChange={(e) => setQuery(e.target.value)}
          className="max-w-64"
        />
        <span className="text-small text-muted">
          {format.count(shown.length)} of {format.plural(events.length, "event")}, the newest first
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="p-4 text-muted">No matching events. Choose “Everything” or clear the search.</p>
      ) : (
        <Rows events={shown} />
      )}
    </div>
  );
}

function Rows({ events }: { events: Event[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<number>();
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => box.current,
    estimateSize: () => 32,
    overscan: 12,
    getItemKey: (i) => events[i]?.seq ?? i,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
    <section ref={box} tabIndex={0} aria-label="Events" className="max-h-[60vh] overflow-y-auto -outline-offset-2">
      <ol className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((item) => {
          const event = events[item.index];
          return event ? (
            <li
              key={item.key}
              data-index={item.index}
              ref={rows.measureElement}
              className="absolute inset-x-0 border-b"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <One
                event={event}
                open={open === event.seq}
                onOpen={() => setOpen(open === event.seq ? undefined : event.seq)}
              />
            </li>
          ) : null;
        })}
      </ol>
    </section>
  );
}

function One({ event, open, onOpen }: { event: Event; open: boolean; onOpen: () => void }) {
  const word = eventWord(event.type);
  const { kind, name } = event.actor;
  const by = name ? (kind === "agent" ? format.title(name) : name) : actorKind[kind].label;
  return (
    <>
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 px-4 py-1">
        <span className="w-10 text-right text-meta text-muted" title="The number of the event in this run">
          {event.seq}
        </span>
        <span
          dir="auto"
          className={cn(
            "min-w-48 flex-1 break-words",
            toneText[word.tone] !== toneText.neutral && toneText[word.tone],
            word.weight === 2 && "font-medium",
          )}
        >
          {headOf(tell(event)).head}
        </span>
        <span className="text-small text-muted">{by}</span>
        <Time at={event.at} className="w-20 text-right text-small text-muted" />
        <Button look="ghost" size="small" aria-expanded={open} onClick={onOpen}>
          {open ? "Hide" : "Data"}
        </Button>
      </div>
      {open && (
        <div className="px-4 pb-3">
          <p className="mb-1 text-small text-muted">
            <code>{event.type}</code>, number {format.count(event.feed)} of all events
          </p>
          <JsonView value={event.data} />
        </div>
      )}
    </>
  );
}
