import { useParams } from "@tanstack/react-router";
import { useRunEvents } from "../api";
import { Page } from "../shell";
import { Badge, Card, ErrorNote, SkeletonRows, Time } from "../ui";
import { eventWord, format } from "../words";

/** What happened in a run, one event after the other. */
export function ReplayPage() {
  const { id } = useParams({ from: "/runs/$id/replay" });
  const { data: events, error } = useRunEvents(id);
  if (!events) return <Page title="Replay">{error ? <ErrorNote error={error} /> : <SkeletonRows />}</Page>;
  return (
    <Page title="Replay" lead={format.plural(events.length, "event")}>
      <Card flush>
        <ol className="divide-y">
          {events.map((event) => {
            const word = eventWord(event.type);
            return (
              <li key={event.seq} className="flex min-h-9 items-center gap-3 px-4 py-1.5">
                <span className="w-8 text-right text-small text-muted">{event.seq}</span>
                <Badge tone={word.tone}>{word.label}</Badge>
                <span className="min-w-0 flex-1 truncate text-small text-muted">{event.actor.name}</span>
                <Time at={event.at} className="text-small text-muted" />
              </li>
            );
          })}
        </ol>
      </Card>
    </Page>
  );
}
