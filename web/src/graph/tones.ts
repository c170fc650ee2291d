import type { Tone } from "../words";

/** The style of a status in the graph: the frame, the mark and the fill of a bar. */
export const toneText: Record<Tone, string> = {
  neutral: "text-muted",
  accent: "text-accent-text",
  ok: "text-ok-text",
  warn: "text-warn-text",
  bad: "text-bad-text",
  info: "text-info-text",
};

export const toneChip: Record<Tone, string> = {
  neutral: "bg-neutral-bg text-neutral-text",
  accent: "bg-accent-bg text-accent-text",
  ok: "bg-ok-bg text-ok-text",
  warn: "bg-warn-bg text-warn-text",
  bad: "bg-bad-bg text-bad-text",
  info: "bg-info-bg text-info-text",
};
