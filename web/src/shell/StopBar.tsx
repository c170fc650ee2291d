import { OctagonX } from "lucide-react";
import { usePolicy } from "../api/policy";
import { Button } from "../ui/Button";
import { Time } from "../ui/Time";
import { useMayStop } from "./useMayStop";

/** Shown above every page while the emergency stop is on. */
export function StopBar({ onOpen }: { onOpen: () => void }) {
  const { data: policy } = usePolicy();
  const may = useMayStop();
  const stop = policy?.emergency_stop;
  if (!stop?.on) return null;
  return (
    <div className="flex items-center gap-3 border-b bg-bad-bg px-3 py-2 text-bad-text sm:px-6">
      <OctagonX aria-hidden className="size-4 shrink-0 max-sm:self-start max-sm:mt-0.5" />
      <p role="status" className="min-w-0 flex-1 wrap-anywhere">
        <strong className="font-semibold">Emergency stop is on.</strong> Rules approve nothing; people are asked
        instead.{stop.reason && ` Reason: ${stop.reason}`}
        {stop.by && ` · ${stop.by}`} {stop.at && <Time at={stop.at} />}
      </p>
      {may && (
        <Button size="small" onClick={onOpen}>
          Turn off…
        </Button>
      )}
    </div>
  );
}
