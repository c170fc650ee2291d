import { cn } from "../lib/cn";
import { useConnection } from "../live";
import { format } from "../words";

/** Whether the page is live. */
export function ConnectionState() {
  const connection = useConnection();
  const lost = connection.state === "lost";
  const text = lost ? "Connection lost" : connection.state === "connected" ? "Live" : "Connecting …";
  const why = lost
    ? "This page may be out of date. Reconnecting…"
    : connection.state === "connected"
      ? "Changes appear immediately."
      : "Waiting for the server.";
  return (
    <span
      role="status"
      title={why}
      className={cn(
        "inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-small whitespace-nowrap",
        lost ? "bg-bad-bg text-bad-text" : "text-muted",
      )}
    >
      <span
        aria-hidden
        className={cn(
          "size-2 rounded-full",
          lost ? "bg-bad-fill" : connection.state === "connected" ? "bg-ok-fill" : "motion-pulse bg-warn-fill",
        )}
      />
      {text}
      {lost && <span className="-ml-0.5 max-sm:sr-only"> since {format.clock(connection.since)}</span>}
    </span>
  );
}
