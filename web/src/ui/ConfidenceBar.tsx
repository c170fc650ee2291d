import { cn } from "../lib/cn";
import { format, type Tone } from "../words";

/** The three bands of confidence: below 0.7 approval is required, below 0.9 a second look is suggested. */
export function confidenceBand(confidence: number): { label: string; tone: Tone; sentence: string; level: 1 | 2 | 3 } {
  if (confidence >= 0.9) return { label: "Sure", tone: "ok", sentence: "The agent is sure (90 % or more).", level: 3 };
  if (confidence >= 0.7)
    return {
      label: "Fairly sure",
      tone: "warn",
      sentence: "The agent is fairly sure (70 to 89 %): a second look helps.",
      level: 2,
    };
  return { label: "Unsure", tone: "bad", sentence: "The agent is not sure (under 70 %): look closely.", level: 1 };
}

/** The confidence that an agent stated. Values from the run's input were not proposed, so they have none. */
export function stated(approval: {
  confidence: number | null;
  confidence_source?: { step?: string } | null;
}): number | null {
  return approval.confidence_source?.step === "input" ? null : approval.confidence;
}

const fills: Record<string, string> = { ok: "bg-ok-fill", warn: "bg-warn-fill", bad: "bg-bad-fill" };

/** The agent's confidence, in three bands with the number. Empty if it stated none. */
export function ConfidenceBar({
  confidence,
  className,
}: {
  confidence: number | null | undefined;
  className?: string;
}) {
  if (confidence === null || confidence === undefined) return null;
  const band = confidenceBand(confidence);
  return (
    <span
      className={cn("inline-flex items-center gap-2 text-small whitespace-nowrap", className)}
      title={band.sentence}
    >
      <span aria-hidden className="flex gap-0.5">
        {[1, 2, 3].map((n) => (
          <span
            key={n}
            className={cn("h-1.5 w-4 rounded-full", n <= band.level ? fills[band.tone] : "bg-neutral-bg")}
          />
        ))}
      </span>
      <span className="text-muted">
        {band.label}, <span className="text-text">{format.percent(confidence)}</span>
      </span>
    </span>
  );
}
