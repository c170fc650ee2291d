import type { Step } from "../api/types";
import { cn } from "../lib/cn";
import { useClock } from "../ui/clock";
import { format } from "../words";
import { goDuration, limitName, limitUse, limitValue } from "./words";

type Meter = NonNullable<Step["limits"]>[number];

/** How close an agent is to its limits; the mark shows where a warning is raised. */
export function Limits({ limits, className }: { limits: Step["limits"]; className?: string }) {
  if (!limits || limits.length === 0) return null;
  return (
    <div className={cn("grid gap-3", className)}>
      {limits.map((meter) => (
        <LimitMeter key={meter.limit} meter={meter} />
      ))}
    </div>
  );
}

function LimitMeter({ meter }: { meter: Meter }) {
  const name = limitName(meter.limit);
  const { text, percent } = useUsed(meter);
  const fill = percent >= 100 ? "bg-bad-fill" : percent >= 80 ? "bg-warn-fill" : "bg-accent";
  return (
    <div title={`${format.percent(percent / 100)} of the limit is used. People are warned at 80 %.`}>
      <div className="mb-1 flex justify-between gap-2 text-small">
        <span className="text-muted">{name}</span>
        <span>{text}</span>
      </div>
      <div
        role="meter"
        aria-label={`Limit: ${name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        className="relative h-1.5 rounded-full bg-neutral-bg"
      >
        <div className="h-full overflow-hidden rounded-full">
          <div
            className={cn("meter-fill h-full", fill)}
            style={{ transform: `scaleX(${Math.min(1, percent / 100)})` }}
          />
        </div>
        <span aria-hidden className="absolute -top-0.5 left-[80%] h-2.5 w-px bg-muted" />
      </div>
    </div>
  );
}

/** What is used of a limit now: a time that still counts grows without another answer of the server. */
function useUsed({ limit, used, max, percent, since }: Meter): { text: string; percent: number } {
  const from = since ? Date.parse(since) : undefined;
  const ms = useClock((now) => (from === undefined ? 0 : Math.max(0, Math.floor((now - from) / 1000) * 1000)));
  if (from === undefined) return { text: limitUse(limit, used, max), percent };
  return {
    text: `${format.duration(ms)} of ${limitValue(limit, max)}`,
    percent: Math.min(100, Math.floor((100 * ms) / goDuration(max))),
  };
}

/** The limits of all agents of a run. */
export function RunLimits({ steps }: { steps: Step[] }) {
  const limited = steps.filter((step) => (step.limits?.length ?? 0) > 0);
  if (limited.length === 0) return null;
  return (
    <section aria-label="Limits" className="space-y-4">
      {limited.map((step) => (
        <div key={step.id}>
          <h3 className="mb-2 text-control font-semibold">
            {limited.length > 1 ? `Limits of ${format.title(step.id)}` : "Limits"}
          </h3>
          <Limits limits={step.limits} />
        </div>
      ))}
    </section>
  );
}
