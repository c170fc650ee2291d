import type { LucideIcon } from "lucide-react";

/** The colours of statuses. Each is a pair of text and background with enough contrast in both themes. */
export type Tone = "neutral" | "accent" | "ok" | "warn" | "bad" | "info";

/** The text shown in place of an API value. */
export interface Word {
  /** A word or two, for badges. */
  label: string;
  /** A sentence that explains it. */
  sentence: string;
  tone: Tone;
  icon: LucideIcon;
}
