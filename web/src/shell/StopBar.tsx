import { OctagonX } from "lucide-react";
import { usePolicy } from "../api";
import { Time } from "../ui/Time";

/** Shown above every page while the emergency stop is on. */
export function StopBar() {
  const { data: policy } = usePolicy();
  const stop = policy?.emergency_stop;
  if (!stop?.on) return null;
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-2 border-b bg-bad-bg px-3 py-2 text-bad-text sm:px-6"
    >
      <OctagonX aria-hidden className="size-4 shrink-0" />
      <strong className="font-semibold">Emergency stop is on.</strong>
      <span>
        No rule approves anything by itself; everything is asked.{stop.reason && ` Reason: ${stop.reason}.`}
        {stop.by && ` By ${stop.by}`} {stop.at && <Time at={stop.at} />}
      </span>
    </div>
  );
}
