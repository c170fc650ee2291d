import { cn } from "../lib/cn";
import { useConnection } from "../live";
import { format } from "../words";

/** Whether the page is live. */
export function ConnectionState() {
  const connection = useConnection();
  const lost = connection.state === "lost";
  const text = lost
    ? `Connection lost since ${format.clock(connection.since)}`
    : connection.state === "connected"
      ? "Live"
      : "Connecting …";
  const why = lost
    ? "What you see may be old. We keep trying."
    : connection.state === "connected"
      ? "Changes show up at once."
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
    </span>
  );
}
