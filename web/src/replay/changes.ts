import type { Change, Run, Step } from "../api/types";
import { compact, type Raw, rawOf, same, type Tree, treeOf } from "../json";
import { format, runStatus, skipReason, stepStatus } from "../words";

type Message = Run["thread"][number];

/** The differences between two states, in familiar sections. */
export interface Section {
  title: string;
  changes: Change[];
}

/** The changes from a to b. Every value as written, digit by digit. */
export function changesBetween(a: Run, b: Run): Section[] {
  const sections: Section[] = [
    { title: "Run", changes: diff(treeOf(rawOf(factsOf(a))), treeOf(rawOf(factsOf(b)))) },
    ...stepSections(a, b),
    { title: "Context", changes: diff(treeOf(a.context), treeOf(b.context)) },
    { title: "Output", changes: diffOf(a.output, b.output) },
    { title: "Input", changes: diffOf(a.input, b.input) },
    { title: "Thread", changes: diff(treeOf(rawOf(a.thread.map(said))), treeOf(rawOf(b.thread.map(said)))) },
  ];
  return sections.filter((section) => section.changes.length > 0);
}

/** For values that may not exist yet: a value that appears was added. */
function diffOf(before: Raw | null, after: Raw | null): Change[] {
  if (before && after) return diff(treeOf(before), treeOf(after));
  if (before) return [{ path: "", op: "remove", from: before }];
  return after ? [{ path: "", op: "add", to: after }] : [];
}

function said({ from, to, text }: Message): string {
  return `${from?.name || "Assent"}${to ? ` to ${format.title(to)}` : ""}: ${text}`;
}

/** Facts about the run as a whole, in the words of the pages. */
function factsOf({ status, error, pending_approvals, usage, warnings, pause }: Run) {
  return told({
    Status: runStatus[status].label,
    "Open decisions": pending_approvals.length,
    Cost: usage.cost_usd && format.money(usage.cost_usd),
    "Model calls": usage.llm_calls,
    "Tokens read": usage.tokens_in,
    "Tokens written": usage.tokens_out,
    Error: error && (error.message || format.title(error.code)),
    "Failed step": error?.step && format.title(error.step),
    Warnings: warnings.map((warning) => warning.message || format.title(warning.code)),
    Paused: pause && (pause.reason || (pause.approval ? "No decision in time" : "By hand")),
  });
}

/** Facts about a step; its values stay as written. */
function stepFacts(step: Step | undefined) {
  if (!step) return {};
  const { status, started_at, ended_at, duration_ms, usage, waited_ms, worked_ms, output, ...rest } = step;
  const { id: _id, kind: _kind, layer: _layer, needs, limits: _meters, turns, revision, ...others } = rest;
  const { error, elements, skipped, confidence, agent, workflow, child, injected, ahead, try: tries, ...more } = others;
  return told({
    Status: stepStatus[status].label,
    Error: error && (error.message || format.title(error.code)),
    "Left out": skipped && (skipReason[skipped]?.label ?? format.title(skipped)),
    Tries: tries || undefined,
    Started: started_at && format.exact(Date.parse(started_at)),
    Ended: ended_at && format.exact(Date.parse(ended_at)),
    Worked: duration_ms === null || worked_ms === null ? undefined : format.duration(worked_ms),
    "Waited for people": waited_ms ? format.duration(waited_ms) : undefined,
    Elements: elements?.total && `${format.count(elements.done)} of ${format.count(elements.total)} done`,
    Confidence: confidence === undefined ? undefined : format.percent(confidence),
    Cost: usage?.cost_usd && format.money(usage.cost_usd),
    "Model calls": usage?.llm_calls,
    "Tokens read": usage?.tokens_in,
    "Tokens written": usage?.tokens_out,
    Turns: turns,
    "Sent back": revision ? format.plural(revision, "time") : undefined,
    Agent: agent && format.title(agent),
    Workflow: workflow && format.title(workflow),
    "Sub-run": child,
    Added: injected ? "during the run" : undefined,
    "Ran ahead": ahead && format.title(ahead),
    After: needs.map(format.title).join(", "),
    Output: output,
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [format.title(name), value])),
  });
}

/** Without missing values: nothing to nothing is not a change. */
function told(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

function stepSections(a: Run, b: Run): Section[] {
  const before = new Map(a.steps.map((step) => [step.id, step]));
  const after = new Map(b.steps.map((step) => [step.id, step]));
  return [...new Set([...before.keys(), ...after.keys()])].map((id) => ({
    title: `Step ${format.title(id)}`,
    changes: diff(treeOf(rawOf(stepFacts(before.get(id)))), treeOf(rawOf(stepFacts(after.get(id))))),
  }));
}

const pointer = (key: string | number) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/**
 * Compares place by place. Lists are compared by element; elements past the end of the shorter one were added or
 * removed.
 */
export function diff(before: Tree, after: Tree, path = ""): Change[] {
  const pair = (was: Tree | undefined, is: Tree | undefined, here: string): Change[] => {
    if (was && is) return diff(was, is, here);
    if (was) return [{ path: here, op: "remove", from: { $json: compact(was) } }];
    return is ? [{ path: here, op: "add", to: { $json: compact(is) } }] : [];
  };
  if (before.kind === "object" && after.kind === "object") {
    const old = new Map(before.members.map((m) => [m.key, m.value]));
    const now = new Map(after.members.map((m) => [m.key, m.value]));
    return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) =>
      pair(old.get(key), now.get(key), path + pointer(key)),
    );
  }
  if (before.kind === "array" && after.kind === "array") {
    const length = Math.max(before.items.length, after.items.length);
    return Array.from({ length }, (_, i) => i).flatMap((i) => pair(before.items[i], after.items[i], path + pointer(i)));
  }
  if (same(before, after)) return [];
  return [{ path, op: "replace", from: { $json: compact(before) }, to: { $json: compact(after) } }];
}

/** Whether a change contains a reference to a value over 64 KiB, so that the changes are incomplete. */
export function hasBlobs(sections: Section[]): boolean {
  return sections.some(({ changes }) =>
    changes.some(({ from, to, path }) => [from?.$json, to?.$json, path].some((text) => text?.includes("$blob"))),
  );
}
