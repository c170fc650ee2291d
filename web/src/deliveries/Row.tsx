import { RotateCw } from "lucide-react";
import type { Delivery } from "../api/notifications";
import { Link } from "../router";
import { Badge, Button, Time } from "../ui";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { deliveryStatus } from "../words/enumsLater";
import { notifiedLabel } from "../words/notifications";
import { recipientOf } from "./say";

/** One message: what, to whom, where, when, and what came back. */
export function Row({ delivery, busy, onRetry }: { delivery: Delivery; busy: boolean; onRetry: () => void }) {
  const word = deliveryStatus[delivery.status];
  const to = recipientOf(delivery);
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 hover:bg-hover">
      <div className="min-w-0 flex-1 basis-72 max-lg:basis-full">
        <p className="font-medium">
          <About delivery={delivery} />
        </p>
        <p className="text-small break-words text-muted">
          to <Visible text={to} /> · {delivery.channel}
          {delivery.workflow && ` · ${format.title(delivery.workflow)}`}
          {delivery.summary && " · summary of several"}
        </p>
        {delivery.why && delivery.status !== "sent" && (
          <p className={`text-small wrap-anywhere ${delivery.status === "failed" ? "text-bad-text" : "text-muted"}`}>
            <Visible text={delivery.why} />
          </p>
        )}
      </div>
      <span className="sm:w-28">
        <Badge tone={word.tone} icon={word.icon} title={word.sentence}>
          {word.label}
        </Badge>
      </span>
      <p className="text-small text-muted sm:w-36">
        <Time at={delivery.sent_at ?? delivery.updated_at} />
        {delivery.attempts > 1 && ` · ${format.plural(delivery.attempts, "attempt")}`}
        {delivery.next_at && delivery.status === "queued" && Date.parse(delivery.next_at) > Date.now() && (
          <>
            {" · next attempt "}
            <Time at={delivery.next_at} />
          </>
        )}
      </p>
      <span className="ml-auto flex justify-end sm:w-24">
        {delivery.status === "failed" && (
          <Button size="small" loading={busy} aria-label={`Retry the message to ${to}`} onClick={onRetry}>
            <RotateCw aria-hidden />
            Retry
          </Button>
        )}
      </span>
    </li>
  );
}

function About({ delivery }: { delivery: Delivery }) {
  const label = notifiedLabel(String(delivery.event));
  const look =
    "underline-offset-2 hover:underline pointer-coarse:-my-2 pointer-coarse:inline-block pointer-coarse:py-3";
  if (delivery.approval)
    return (
      <Link to="/approvals/$id" params={{ id: delivery.approval }} className={look}>
        {label}
      </Link>
    );
  if (delivery.run)
    return (
      <Link to="/runs/$id" params={{ id: delivery.run }} className={look}>
        {label}
      </Link>
    );
  return label;
}
