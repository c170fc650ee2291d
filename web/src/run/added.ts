import type { Event } from "../api/types";
import { plain } from "../json";

interface Found {
  step?: string;
  because?: string;
  wanted?: string;
  unset?: string[];
}

interface Changed {
  why?: string;
  steps?: { id?: string }[];
  because?: Found[];
}

/** Why a step was added to a running plan, newest change first: the requirement, and why its tool was chosen. */
export function addedWhy(events: Event[], step: string): string[] {
  for (const event of events.toReversed()) {
    if (event.type !== "plan.changed") continue;
    const change = plain<Changed>(event.data);
    if (!change?.steps?.some((s) => s.id === step)) continue;
    return reasonsOf(
      change.why ?? "",
      change.because?.find((b) => b.step === step),
    );
  }
  return [];
}

const newPlan = "replan: ";
const oldWanted = "wanted: "; // as events of earlier releases name the requirement

function reasonsOf(why: string, found: Found | undefined): string[] {
  const parts = (found?.because ?? "").split("; ").filter(Boolean);
  const old = parts.find((part) => part.startsWith(oldWanted))?.slice(oldWanted.length);
  const wanted = found?.wanted || old || (why.startsWith(newPlan) ? why.slice(newPlan.length) : "");
  const out = parts.filter((part) => !part.startsWith(oldWanted)).map((part) => `Its tool ${part}.`);
  if (wanted) out.unshift(`The run needed a step for “${wanted}”.`);
  else if (out.length === 0 && why) out.push(why.charAt(0).toUpperCase() + why.slice(1));
  if (found?.unset?.length) out.push(`The search found no value for ${found.unset.join(", ")}.`);
  return out;
}
