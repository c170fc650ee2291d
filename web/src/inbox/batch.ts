import type { Act, Approval, BatchResults } from "../api/types";
import { approvalKind, format, problem, risk } from "../words";
import { titleText } from "./gist";

// Only what is alike may be decided together: the same tool (or the same gate
// of the same workflow, where no tool is called) with the same risk. What is
// critical is decided one by one.

/** What an approval is about, as far as batches care. */
export function subjectOf(a: Approval): { key: string; label: string } {
  const { tool } = a.action;
  if (tool) return { key: `tool ${tool}`, label: format.title(tool) };
  const place = a.gate || a.step;
  return { key: `gate ${a.workflow}/${place}`, label: `${format.title(place)} in ${format.title(a.workflow)}` };
}

export const alike = (a: Approval, b: Approval) =>
  subjectOf(a).key === subjectOf(b).key && a.risk.level === b.risk.level;

export const batchMax = 1000;

/** Why these cannot be decided together; "" if they can. */
export function whyNotTogether(chosen: readonly Approval[]): string {
  const critical = chosen.filter((a) => a.risk.level === "critical").length;
  if (critical > 0) {
    return `${format.plural(critical, "is", "are")} of critical risk, which is decided one by one`;
  }
  const subjects = [...new Map(chosen.map((a) => [subjectOf(a).key, subjectOf(a).label])).values()];
  if (subjects.length > 1) return `They are about different things: ${some(subjects)}`;
  const levels = [...new Set(chosen.map((a) => (a.risk.level ? risk[a.risk.level].label : "No risk told")))];
  if (levels.length > 1) return `They differ in risk: ${some(levels)}`;
  if (chosen.length > batchMax) return `At most ${format.count(batchMax)} go together`;
  return "";
}

/** Why this act is not possible for all of them; "" if it is. */
export function whyNotAct(chosen: readonly Approval[], act: Act): string {
  const cannot = chosen.filter((a) => !a.acts.includes(act));
  if (cannot.length === 0) return "";
  const kinds = [
    ...new Set(cannot.filter((a) => a.kind === "choice" || a.kind === "input").map((a) => approvalKind[a.kind].label)),
  ];
  const each = format.plural(cannot.length, "of them", "of them");
  return kinds.length > 0 && act === "approve"
    ? `${each} ${cannot.length === 1 ? "needs an answer of its" : "need an answer of their"} own (${kinds.join(", ").toLowerCase()})`
    : `You may not ${act} ${each}`;
}

function some(words: string[]): string {
  const shown = words.slice(0, 3).join(", ");
  return words.length > 3 ? `${shown} and ${format.count(words.length - 3)} more` : shown;
}

/** What became of one of a batch. */
export interface Fate {
  id: string;
  title: string;
  /** Skipped is what somebody else changed or settled first; failed is everything else that did not work. */
  kind: "done" | "skipped" | "failed";
  reason: string;
}

const skips = new Set(["already_decided", "version_mismatch", "conflict"]);

export function fatesOf(chosen: ReadonlyMap<string, Approval>, { results }: BatchResults): Fate[] {
  return results.map(({ id, ok, error }) => {
    const one = chosen.get(id);
    const title = one ? titleText(one) : format.shortId(id);
    if (ok) return { id, title, kind: "done", reason: "" };
    const reason = error?.detail || error?.title || (error ? problem[error.code].label : "No reason was told");
    return { id, title, kind: error && skips.has(error.code) ? "skipped" : "failed", reason };
  });
}
