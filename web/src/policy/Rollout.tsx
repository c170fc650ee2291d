import { useId } from "react";
import { format } from "../words";

/** The share of cases that a rule approves; people are asked about the others. */
export function Rollout({
  name,
  percent,
  onChange,
}: {
  name: string;
  percent: number;
  onChange?: (percent: number) => void;
}) {
  const id = useId();
  const text = format.percent(percent / 100);
  return (
    <div className="w-56 max-w-full">
      <div className="mb-1 flex justify-between gap-2 text-small">
        <label htmlFor={id} className="text-muted">
          Rollout<span className="sr-only"> of {name}</span>
        </label>
        <output htmlFor={id}>{text} of cases</output>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={5}
        value={percent}
        disabled={!onChange}
        aria-valuetext={`${text} of cases`}
        onChange={(event) => onChange?.(Number(event.target.value))}
        className="block h-4 w-full accent-accent pointer-coarse:h-11"
      />
    </div>
  );
}
