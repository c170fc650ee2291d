import type { Event, Run } from "../api/types";
import { format, runStatus } from "../words";
import { failedNames } from "../words/steps";

/** Context for the status that is not in the run itself. */
export interface More {
  /** The number of pending approvals in its sub-runs. */
  below?: number;
  /** Who paused it. */
  pausedBy?: string;
}

/** The status of a run, in a sentence. */
export function standing(run: Run, { below = 0, pausedBy }: More = {}): string {
  // The run also lists the pending approvals of its sub-runs; those are counted in below.
  const ofSubRun = `apr_${run.id.replace(/^run_/, "")}.`;
  const waits = run.pending_approvals.filter((id) => !id.startsWith(ofSubRun)).length + below;
  switch (run.status) {
    case "waiting": {
      const where =
        below === 0
          ? ""
          : below === waits
            ? below === 1
              ? " in a sub-run"
              : " in sub-runs"
            : ", some of them in sub-runs";
      return waits > 0
        ? `Waits for ${format.plural(waits, "decision")}${where}. Nothing runs until then.`
        : runStatus.waiting.sentence;
    }
    case "running": {
      if (run.cancelling) return ending(run);
      const busy = run.steps.filter((s) => s.status === "running").map((s) => format.title(s.id));
      const more = waits > 0 ? ` ${format.plural(waits, "decision")} ${waits === 1 ? "is" : "are"} pending.` : "";
      if (busy.length === 0) return `${runStatus.running.sentence}${more}`;
      const names = busy.length > 3 ? format.plural(busy.length, "step") : busy.join(", ");
      return `Working on ${names}.${more}`;
    }
    case "paused":
      if (!run.pause?.reason && !pausedBy) return runStatus.paused.sentence;
      return `Paused${pausedBy ? ` by ${pausedBy}` : ""}${run.pause?.reason ? `: ${run.pause.reason}` : ""}. Resume it to continue.`;
    case "completed": {
      const failed = failedNames(run.steps);
      return failed ? `Completed, but ${failed}.` : runStatus.completed.sentence;
    }
    default:
      return runStatus[run.status].sentence;
  }
}

/** Who paused a run, according to its events; undefined if it was the program itself. */
export function pausedBy(events: Event[]): string | undefined {
  const { actor } = events.findLast((e) => e.type === "run.paused") ?? {};
  return actor?.name || undefined; // the program has no name
}

/** A cancelled run that has not ended: the reason, and the steps it waits for. */
function ending({ cancelling, steps }: Run): string {
  const busy = steps.filter((s) => s.status === "running").map((s) => format.title(s.id));
  const names = busy.length > 3 ? format.plural(busy.length, "step") : busy.join(", ");
  const why = cancelling?.reason ? `: ${cancelling.reason}` : "";
  return `Cancelled${why}. ${names ? `It ends when ${names} ${busy.length === 1 ? "has" : "have"} ended.` : "It ends in a moment."}`;
}

const limitNames: Record<string, string> = { duration: "Time", cost_usd: "Cost", iterations: "Turns of the model" };

/** The label of an agent's limit. */
export function limitName(limit: string): string {
  return limitNames[limit] ?? format.title(limit);
}

/** A value of a limit with its unit: "4h0m0s" → "4 h", "0.75" → "$0.75", "12" → "12 turns". */
export function limitValue(limit: string, value: string): string {
  if (limit === "duration") return format.duration(goDuration(value));
  if (limit === "cost_usd") return format.money(value);
  if (limit === "iterations") return format.plural(Number(value), "turn");
  return value;
}

/** How much of a limit is used: "39 s of 4 h", "3 of 40 turns". */
export function limitUse(limit: string, used: string, max: string): string {
  const soFar = limit === "iterations" ? format.count(Number(used)) : limitValue(limit, used);
  return `${soFar} of ${limitValue(limit, max)}`;
}

const unitMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, µs: 0.001, us: 0.001, ns: 0.000001 };

/** "1h20m0.5s" in milliseconds. */
export function goDuration(text: string): number {
  let total = 0;
  for (const [, n, unit] of text.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g))
    total += Number(n) * (unitMs[unit ?? ""] ?? 0);
  return total;
}

/** Ids are not readable names, so runs are named by their workflow and time. */
export function runName(run: Pick<Run, "workflow" | "started_at">): string {
  return `${format.title(run.workflow)}, ${format.day(Date.parse(run.started_at))}`;
}

const codes: Record<string, string> = {
  failed: "The agent reported a failure.",
  child_failed: "A sub-run failed.",
  timeout: "It took longer than allowed.",
  denied: "A policy rule refused it.",
  rejected: "A reviewer rejected it.",
  unreachable: "The agent could not be reached.",
  invalid_output: "The output does not match the agent's schema.",
  cancelled: "It was cancelled.",
};

/** The meaning of a failure code; agents' own codes are made readable. */
export function failureWord(code: string): string {
  return codes[code] ?? `${format.title(code)}.`;
}
