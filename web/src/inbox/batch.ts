import type { Act, Approval, BatchResults } from "../api/types";
import { isStandIn } from "../json/raw";
import { Scanner } from "../json/scan";
import { approvalKind, format, problem, risk } from "../words";
import { titleText } from "./gist";
import { hasDrafts, subjectOf } from "./subject";

// Only similar approvals can be decided together: the same tool (or the same gate of the same workflow, if no tool is
// called) at the same risk. Critical ones are decided one by one.

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
  const large = chosen.filter((a) => isStandIn(a.proposed)).length;
  if (large > 0)
    return `${format.plural(large, "is", "are")} too large for a list; decide ${large === 1 ? "it" : "them"} one by one`;
  if (chosen.length > batchMax) return `At most ${format.count(batchMax)} go together`;
  return "";
}

/** Why this action is not available for all of them; "" if it is. */
export function whyNotAct(chosen: readonly Approval[], act: Act): string {
  const unseen = act === "approve" ? chosen.filter(hasDrafts).length : 0;
  if (unseen > 0) {
    return `${format.plural(unseen, "has", "have")} files to review; approve ${unseen === 1 ? "it on its page" : "them one by one"}`;
  }
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

const sums = /(^|_)(amount|total|sum|price|value)($|_)/i;

/** Totals of the selected approvals: sums of fields that all of them have, digit by digit. */
export function totalsOf(chosen: readonly Approval[]): { label: string; text: string }[] {
  const numbers = chosen.map((a) => fieldsOf(a));
  const [first] = numbers;
  if (!first || chosen.length < 2) return [];
  return [...first.keys()]
    .filter((key) => sums.test(key))
    .flatMap((key) => {
      const all = numbers.map((fields) => fields.get(key));
      if (!all.every((n) => n !== undefined && decimal.test(n))) return [];
      const currency = numbers.map((fields) => fields.get("currency"));
      const same = currency[0] !== undefined && currency.every((c) => c === currency[0]);
      // Amounts in different currencies have no sum.
      if (!same && currency.some((c) => c !== undefined)) return [];
      const text = added(all as string[]);
      return [{ label: format.title(key), text: same ? `${text} ${JSON.parse(currency[0] as string)}` : text }];
    });
}

const decimal = /^-?\d{1,30}(\.\d{1,12})?$/;

/** The members of the proposal, as written. */
function fieldsOf({ proposed }: Approval): Map<string, string> {
  const out = new Map<string, string>();
  const json = proposed?.$json ?? "";
  if (!json.startsWith("{") || json.startsWith('{"$')) return out;
  const scanner = new Scanner(json);
  scanner.object((keyText) => void out.set(JSON.parse(keyText), scanner.skip()));
  return out;
}

/** The sum of numbers as written, without loss. */
function added(numbers: string[]): string {
  const places = Math.max(...numbers.map((n) => n.split(".")[1]?.length ?? 0));
  const whole = (n: string) => {
    const [digits = "0", rest = ""] = n.split(".");
    return BigInt(digits + rest.padEnd(places, "0"));
  };
  const sum = numbers.reduce((so, n) => so + whole(n), 0n);
  const digits = `${sum < 0n ? -sum : sum}`.padStart(places + 1, "0");
  const front = digits.slice(0, digits.length - places);
  const grouped = front.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sum < 0n ? "−" : ""}${grouped}${places > 0 ? `.${digits.slice(-places)}` : ""}`;
}

/** The result of one approval in a batch. */
export interface Fate {
  id: string;
  title: string;
  /** Skipped: changed or settled by someone else first; failed: any other error. */
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
