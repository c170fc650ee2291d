import { cn } from "../lib/cn";

/** How much of a limit is used. Amber from 80 %, red at the limit. */
export function Meter({
  value,
  max,
  label,
  text,
  className,
}: {
  value: number;
  max: number;
  label: string;
  text: string;
  className?: string;
}) {
  const share = max > 0 ? Math.min(1, value / max) : 0;
  const fill = share >= 1 ? "bg-bad-fill" : share >= 0.8 ? "bg-warn-fill" : "bg-accent";
  return (
    <div className={className}>
      <div className="mb-1 flex justify-between gap-2 text-small">
        <span className="text-muted">{label}</span>
        <span>{text}</span>
      </div>
      <div
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={max}
        aria-valuenow={value}
        aria-valuetext={text}
        className="h-1.5 overflow-hidden rounded-full bg-neutral-bg"
      >
        <div className={cn("meter-fill h-full rounded-full", fill)} style={{ transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
}
