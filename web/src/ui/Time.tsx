import { cn } from "../lib/cn";
import { format } from "../words";
import { useClock } from "./clock";
import { hover } from "./hover";

/** A time: relative, with the exact one on hover. */
export function Time({ at, className }: { at: string | null | undefined; className?: string }) {
  const ms = at ? Date.parse(at) : Number.NaN;
  const text = useClock((now) => (Number.isNaN(ms) ? "–" : format.relative(ms, now)));
  if (Number.isNaN(ms)) return <span className={className}>–</span>;
  return (
    <time dateTime={at ?? undefined} {...hover(() => format.exact(ms))} className={cn("whitespace-nowrap", className)}>
      {text}
    </time>
  );
}

/** The time since a point, or between two, as a running duration. */
export function Elapsed({
  from,
  to,
  className,
}: {
  from: string | null | undefined;
  to?: string | null;
  className?: string;
}) {
  const start = from ? Date.parse(from) : Number.NaN;
  const end = to ? Date.parse(to) : undefined;
  const text = useClock((now) => {
    const ms = (end ?? now) - start;
    return format.duration(end === undefined ? Math.max(1000, Math.floor(ms / 1000) * 1000) : ms);
  });
  return <span className={cn("whitespace-nowrap", className)}>{text}</span>;
}
