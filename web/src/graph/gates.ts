import { CircleCheck, CircleDashed, CircleX, Hourglass, type LucideIcon, SkipForward } from "lucide-react";
import { format, type Tone } from "../words";
import { type GateNode, type GateState, settledBy, waitedFor } from "./plan";

export const gateWord: Record<GateState, { label: string; tone: Tone; icon: LucideIcon; sentence: string }> = {
  ahead: {
    label: "People may be asked",
    tone: "neutral",
    icon: CircleDashed,
    sentence: "The run has not reached this gate.",
  },
  open: { label: "Waiting for a decision", tone: "warn", icon: Hourglass, sentence: "Waiting for a decision." },
  passed: { label: "Passed", tone: "ok", icon: CircleCheck, sentence: "Approved." },
  refused: { label: "Not passed", tone: "bad", icon: CircleX, sentence: "Rejected, sent back or timed out." },
  unasked: { label: "Not asked", tone: "neutral", icon: SkipForward, sentence: "Its condition was not met." },
};

/** A gate in words: "for Tax team", "approved by ann". */
export function gateText({ state, approval, gate }: Pick<GateNode, "state" | "approval" | "gate">): string {
  if (state === "open" && approval) return `Waits for ${waitedFor(approval)}`;
  if (state === "ahead") return gate.role ? `Will ask ${format.title(gate.role)}` : gateWord.ahead.label;
  const settled = approval && settledBy(approval);
  return settled ? settled.charAt(0).toUpperCase() + settled.slice(1) : gateWord[state].label;
}
