import { Ban, CircleCheck, CircleX, Hourglass, LoaderCircle, type LucideIcon } from "lucide-react";
import { title } from "./format";
import type { Tone } from "./tone";

const looks: Record<string, { label: string; tone: Tone; icon: LucideIcon; sentence: string }> = {
  asked: {
    label: "Asked for",
    tone: "warn",
    icon: Hourglass,
    sentence: "The model wants it; it has not been called yet.",
  },
  running: { label: "Running", tone: "info", icon: LoaderCircle, sentence: "The tool is at work." },
  done: { label: "Done", tone: "ok", icon: CircleCheck, sentence: "The tool answered." },
  failed: { label: "Failed", tone: "bad", icon: CircleX, sentence: "The tool failed; the model was told." },
  denied: { label: "Denied", tone: "bad", icon: Ban, sentence: "Rejected by people or a rule; the model was told." },
};

/** The status of a call, in words. */
export function callWord(status: string) {
  return looks[status] ?? { label: title(status), tone: "neutral" as Tone, icon: CircleCheck, sentence: "" };
}
