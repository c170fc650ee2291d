import { Timer } from "lucide-react";
import type { TimeoutAct } from "../api/types";
import { cn } from "../lib/cn";
import { format, onTimeout } from "../words";
import { useClock } from "./clock";
import { hover } from "./hover";

/** The time left until a deadline, and what happens then. Amber in the last hour, red in the last ten minutes. */
export function Countdown({
  until,
  then,
  className,
}: {
  until: string | null | undefined;
  then?: TimeoutAct;
  className?: string;
}) {
  const ms = until ? Date.parse(until) : Number.NaN;
  const left = useClock((now) => Math.floor((ms - now) / 1000));
  if (Number.isNaN(ms)) return null;
  const tone = left < 600 ? "text-bad-text" : left < 3600 ? "text-warn-text" : "text-muted";
  const what = then ? `Without a decision, ${onTimeout[then].sentence}. ` : "";
  return (
    <span
      className={cn("inline-flex items-center gap-1 text-small whitespace-nowrap", tone, className)}
      {...hover(() => `${what}${format.exact(ms)}`)}
    >
      <Timer aria-hidden className="size-3.5" />
      {left > 0 ? format.duration(left * 1000) : "due now"}
      {then && <span className="text-muted">· then {onTimeout[then].label.toLowerCase()}</span>}
    </span>
  );
}
