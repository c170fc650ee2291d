import { shortDay } from "../ui/days";
import { format } from "../words";

interface Day {
  day: string;
  value: number;
}

const height = 36;

/** A small bar for each day, to show the trend. The numbers are its accessible name. */
export function Sparkline({ days, label }: { days: Day[]; label: string }) {
  const top = Math.max(...days.map((d) => d.value), 0);
  if (days.filter((d) => d.value > 0).length < 2) return null;
  const most = days.reduce((a, b) => (b.value > a.value ? b : a));
  const slot = 100 / days.length;
  return (
    <figure className="mt-3">
      <svg
        role="img"
        aria-label={`${label}: most on ${shortDay(most.day)} with ${format.count(most.value)}.`}
        width="100%"
        height={height}
      >
        {days.map(({ day, value }, i) => (
          <rect
            key={day}
            x={`${(i + 0.15) * slot}%`}
            width={`${slot * 0.7}%`}
            y={height - Math.max(value > 0 ? 2 : 1, (value / top) * height)}
            height={Math.max(value > 0 ? 2 : 1, (value / top) * height)}
            className={value > 0 ? "fill-accent" : "fill-border"}
          />
        ))}
      </svg>
      <figcaption className="text-meta text-muted">{label}</figcaption>
    </figure>
  );
}
