import { cn } from "../lib/cn";
import { toneChip } from "./tones";

/** What became of a step that ran ahead of an open approval. */
const words: Record<string, { label: string; sentence: string }> = {
  running: {
    label: "running ahead",
    sentence: "Runs ahead of an open approval. The result is used only if the proposal is approved as shown.",
  },
  returned: {
    label: "ran ahead",
    sentence: "Ran ahead of an open approval. The result is used only if the proposal is approved as shown.",
  },
  used: { label: "ran ahead, used", sentence: "Ran ahead of an approval, and the decision was as assumed." },
  discarded: {
    label: "ran ahead, discarded",
    sentence: "Ran ahead of an approval. The decision was not as assumed, so the result was discarded.",
  },
};

/** Marks a step that ran ahead; nothing for any other. */
export function Ahead({ ahead, className }: { ahead?: string; className?: string }) {
  const word = ahead && words[ahead];
  if (!word) return null;
  return (
    <span
      title={word.sentence}
      className={cn("rounded-full px-1.5 text-small font-normal whitespace-nowrap", toneChip.neutral, className)}
    >
      {word.label}
    </span>
  );
}
