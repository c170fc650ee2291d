import { RefreshCw, RotateCcw, ShieldX } from "lucide-react";
import { useState } from "react";
import { useMay, useReplayDelivery, useTrigger } from "../api";
import type { Trigger, TriggerDelivery } from "../api/types";
import { Link, useNavigate } from "../router";
import { Badge, Button, ErrorNote, JsonView, SkeletonRows, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { format, hookOutcome } from "../words";

/** The last deliveries to a trigger: what came, and what became of it. */
export function Deliveries({ name }: { name: string }) {
  const { data: trigger, error, refetch, isFetching } = useTrigger(name);
  if (error) return <ErrorNote error={error} />;
  if (!trigger) return <SkeletonRows rows={3} />;
  return (
    <section aria-label={`Deliveries to ${name}`} className="mt-3">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-small font-semibold">Last deliveries</h3>
        <Button size="small" loading={isFetching} onClick={() => void refetch()}>
          <RefreshCw aria-hidden /> Refresh
        </Button>
      </div>
      <RefusedNote trigger={trigger} />
      {trigger.deliveries.length === 0 ? (
        <p className="text-muted">Nothing has been delivered yet.</p>
      ) : (
        <ul className="divide-y rounded-md border">
          {trigger.deliveries.map((delivery) => (
            <Row key={delivery.id} trigger={trigger} delivery={delivery} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** Deliveries that did not prove who sent them: a wrong secret, or an attack. */
function RefusedNote({ trigger: { refused } }: { trigger: Trigger }) {
  if (!refused) return null;
  return (
    <p className="mb-2 flex flex-wrap items-center gap-x-2 rounded-sm bg-warn-bg p-3 text-warn-text">
      <ShieldX aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0 flex-1 basis-56 break-words">
        {format.count(refused.count)} refused since the server started, the last one <Time at={refused.at} />:{" "}
        <Visible text={refused.cause} />
      </span>
    </p>
  );
}

function Row({ trigger, delivery }: { trigger: Trigger; delivery: TriggerDelivery }) {
  const [open, setOpen] = useState(false);
  const word = hookOutcome[delivery.outcome];
  return (
    <li className="px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={word.tone} icon={word.icon} title={word.sentence}>
          {word.label}
        </Badge>
        <span className="min-w-0 flex-1 basis-40 break-words">
          <Time at={delivery.at} />
          {delivery.times > 1 && <span className="text-muted"> · arrived {format.count(delivery.times)} times</span>}
          {delivery.event && (
            <span className="text-muted">
              {" · "}
              <Visible text={delivery.event} />
            </span>
          )}
          {delivery.sender_id && (
            <span className="text-small break-all text-muted">
              {" · "}
              <Visible text={delivery.sender_id} />
            </span>
          )}
        </span>
        {delivery.run && (
          <Link to="/runs/$id" params={{ id: delivery.run }} className="text-accent-text underline">
            Run
          </Link>
        )}
        {delivery.payload && (
          <Button
            size="small"
            look="ghost"
            aria-expanded={open}
            aria-label={`Payload of ${called(delivery)}`}
            onClick={() => setOpen(!open)}
          >
            Payload
          </Button>
        )}
        <Replay trigger={trigger} delivery={delivery} />
      </div>
      <Why delivery={delivery} />
      {open && delivery.payload && (
        <div className="mt-2">
          <JsonView value={delivery.payload} />
        </div>
      )}
    </li>
  );
}

/** A delivery by its time: ids cannot be read aloud. */
const called = ({ at, event }: TriggerDelivery) =>
  `the delivery of ${format.exact(Date.parse(at))}${event ? `, ${event}` : ""}`;

function Why({ delivery }: { delivery: TriggerDelivery }) {
  const notes = [
    delivery.cause,
    delivery.removed ? "Its content was deleted." : "",
    delivery.masked ? "Values are masked for you." : "",
  ].filter(Boolean);
  if (notes.length === 0) return null;
  return (
    <p className="mt-1 text-small break-words text-muted">
      <Visible text={notes.join(" ")} />
    </p>
  );
}

/** Starts a run with the delivery again. */
function Replay({ trigger, delivery }: { trigger: Trigger; delivery: TriggerDelivery }) {
  const may = useMay();
  const navigate = useNavigate();
  const replay = useReplayDelivery();
  if (!may("start") || delivery.removed || !delivery.payload) return null;
  return (
    <>
      <Button
        size="small"
        aria-label={`Replay ${called(delivery)}`}
        loading={replay.isPending}
        onClick={() =>
          replay.mutate(
            { name: trigger.name, delivery: delivery.id },
            { onSuccess: (run) => void navigate({ to: "/runs/$id", params: { id: run.id } }) },
          )
        }
      >
        <RotateCcw aria-hidden /> Replay
      </Button>
      {replay.error && (
        <div className="basis-full">
          <ErrorNote error={replay.error} />
        </div>
      )}
    </>
  );
}
