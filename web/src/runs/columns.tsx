import type { Approval, RunSummary } from "../api/types";
import { askText, waitedFor } from "../graph";
import { headOf } from "../ui/FoldedText";
import { Elapsed } from "../ui/Time";
import { format } from "../words";

export interface About {
  text: string;
  title: string;
  tone?: "bad" | "warn";
}

/** The subject of a run, from its list entry, and the steps that failed without stopping it. */
export function about(run: RunSummary, open: Approval[], failed = ""): About {
  if (run.error) return { text: headOf(run.error).head, title: run.error, tone: "bad" };
  if (failed) {
    const text = `But ${failed}`;
    return { text, title: text, tone: "warn" };
  }
  const labels = Object.entries(run.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
  // Lists add the subject to titles that would read alike; here it is there already.
  const ask = (a: Approval) => (run.subject ? askText(a).replace(` · ${run.subject}`, "") : askText(a));
  const asks = open.map((a) => (a.run === run.id ? ask(a) : `In a sub-run: ${ask(a)}`));
  const kin = run.parent ? "Sub-run" : run.forked_from ? "Fork" : run.retry_of ? "Repeated" : "";
  const text = [kin, run.subject, asks[0], ...labels].filter(Boolean).join(" · ");
  const title = [kin, run.subject, ...asks, ...labels].filter(Boolean).join("\n");
  return { text, title };
}

/** The people a run waits for, in words; empty if there are none. */
export function waiting(run: RunSummary, open: Approval[]): string {
  if (open.length > 0) return [...new Set(open.map(waitedFor))].join(", ");
  return run.pending > 0 ? format.plural(run.pending, "open decision") : "";
}

/** Whether a run has cost anything: a column of zeros is useless. */
export const spent = (run: RunSummary) => /[1-9]/.test(run.cost_usd ?? "");

/** How long a run took, or has taken so far. */
export function Duration({ run }: { run: RunSummary }) {
  return <Elapsed from={run.started_at} to={run.ended_at} />;
}

export const ended = (run: RunSummary) => run.ended_at !== null;
