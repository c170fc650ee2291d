import { Progress as Radix } from "radix-ui";
import { cn } from "../lib/cn";

/** Progress, 0 to 100. */
export function Progress({ percent, label, className }: { percent: number; label: string; className?: string }) {
  const value = Math.min(100, Math.max(0, percent));
  return (
    <Radix.Root
      value={value}
      aria-label={label}
      className={cn("h-1.5 w-full overflow-hidden rounded-full bg-neutral-bg", className)}
    >
      <Radix.Indicator
        className="meter-fill h-full rounded-full bg-accent"
        style={{ transform: `scaleX(${value / 100})` }}
      />
    </Radix.Root>
  );
}
