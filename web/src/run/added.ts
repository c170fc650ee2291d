import type { Event } from "../api/types";
import { plain } from "../json";

interface Changed {
  why?: string;
  steps?: { id?: string }[];
  because?: { step?: string; because?: string; unset?: string[] }[];
}

/** Why a step was added to a running plan, newest change first: the requirement, and why its tool was chosen. */
export function addedWhy(events: Event[], step: string): string[] {
  for (const event of events.toReversed()) {
    if (event.type !== "plan.changed") continue;
    const change = plain<Changed>(event.data);
    if (!change?.steps?.some((s) => s.id === step)) continue;
    const found = change.because?.find((b) => b.step === step);
    const reasons = (found?.because ?? "").split("; ").filter(Boolean);
    if (reasons.length === 0 && change.why) reasons.push(change.why.replace(/^replan: /, "wanted: "));
    if (found?.unset?.length) reasons.push(`nothing provided ${found.unset.join(", ")}`);
    return reasons.map((text) => text.charAt(0).toUpperCase() + text.slice(1));
  }
  return [];
}
