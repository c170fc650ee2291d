import type { LucideIcon } from "lucide-react";

/** The colours of states. Each is a pair of text and background with enough contrast in both themes. */
export type Tone = "neutral" | "accent" | "ok" | "warn" | "bad" | "info";

/** What people read instead of a value of the API. */
export interface Word {
  /** A word or two, for badges. */
  label: string;
  /** A sentence that says what it means. */
  sentence: string;
  tone: Tone;
  icon: LucideIcon;
}
