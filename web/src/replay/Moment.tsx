import type { Event } from "../api/types";
import { Badge, Skeleton } from "../ui";
import { eventWord, format } from "../words";
import { say, whoOf } from "./say";

/** The event at the position: in words, by whom, and when. */
export function Moment({ event, before, start }: { event: Event | undefined; before?: Event; start?: string }) {
  if (!event) return <Skeleton className="h-10 w-2/3" />;
  const word = eventWord(event.type);
  const at = Date.parse(event.at);
  const since = start ? at - Date.parse(start) : undefined;
  const gap = before ? at - Date.parse(before.at) : undefined;
  return (
    <div className="min-h-10">
      <p dir="auto" className="line-clamp-3 text-lead font-medium break-words" title={say(event)}>
        {say(event)}
      </p>
      <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted">
        <Badge tone={word.tone}>{word.label}</Badge>
        <span>by {whoOf(event)}</span>
        <time dateTime={event.at} title={format.exact(at)}>
          {format.day(at)}
        </time>
        {since !== undefined && since > 0 && <span title="Since the run started">{format.duration(since)} in</span>}
        {gap !== undefined && gap >= 1000 && (
          <span title="Since the event before">{format.duration(gap)} after the one before</span>
        )}
      </p>
    </div>
  );
}
