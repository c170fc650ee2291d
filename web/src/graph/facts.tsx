import type { Approval, Step } from "../api/types";
import { useClock } from "../ui/clock";
import { format, skipReason, stepStatus } from "../words";
import { waitedFor } from "./plan";

/** A short text about a step, and how it is rendered. */
export interface Fact {
  key: string;
  text: string;
  title: string;
}

/** The facts a node shows beside its name and status. */
export function factsOf(step: Step, open: Approval[], now: number): Fact[] {
  const out: Fact[] = [];
  const add = (key: string, text: string, title: string) => out.push({ key, text, title });
  if (step.skipped) {
    const why = skipReason[step.skipped];
    add("skipped", why.label, why.sentence);
  }
  if (open.length > 0) {
    const names = [...new Set(open.map(waitedFor))].join(", ");
    const text = open.length > 1 ? format.plural(open.length, "decision") : names === "anyone" ? "" : `for ${names}`;
    if (text) add("open", text, `${format.plural(open.length, "open decision")}: waits for ${names}.`);
  }
  if (step.elements) {
    const { done, total, running } = step.elements;
    add(
      "elements",
      `${format.count(done)} of ${format.count(total)}`,
      `${done} of ${total} are done, ${running} at work.`,
    );
  }
  for (const fact of times(step, open, now)) out.push(fact);
  if (step.try > 1) add("try", `try ${step.try}`, `It was tried ${step.try} times.`);
  if (step.revision)
    add("revision", `revision ${step.revision}`, `People sent it back ${format.plural(step.revision, "time")}.`);
  if (step.usage?.cost_usd && Number(step.usage.cost_usd) > 0)
    add("cost", format.money(step.usage.cost_usd), "What its model and tool calls have cost so far.");
  return out;
}

/**
 * Work and waits, separately: how long it has been waiting for people, if it is; else how long it worked and how long
 * it had waited.
 */
function times(step: Step, open: Approval[], now: number): Fact[] {
  const took = durationOf(step, now);
  if (took === undefined) return [];
  const told = (ms: number) => format.duration(step.ended_at ? ms : Math.floor(ms / 1000) * 1000);
  if (open.length > 0 && !step.ended_at) {
    const since = Math.min(...open.map((approval) => Date.parse(approval.requested_at)));
    return [
      { key: "waiting", text: told(Math.max(0, now - since)), title: "How long it has been waiting for people." },
    ];
  }
  const waited = step.waited_ms ?? 0;
  const worked = step.ended_at ? (step.worked_ms ?? took) : Math.max(0, took - waited);
  const until = step.ended_at ? "to its end" : "until now";
  const out: Fact[] = [];
  if (step.kind !== "human")
    out.push({ key: "duration", text: told(worked), title: `From its start ${until}, without waits for people.` });
  if (waited >= 1000) out.push({ key: "waited", text: `waited ${told(waited)}`, title: "For people." });
  return out;
}

/** How long a step took, or has taken so far; undefined before it started. */
export function durationOf(
  step: Pick<Step, "started_at" | "ended_at" | "duration_ms">,
  now: number,
): number | undefined {
  if (!step.started_at) return undefined;
  if (step.duration_ms !== null && step.ended_at) return step.duration_ms;
  return Math.max(0, (step.ended_at ? Date.parse(step.ended_at) : now) - Date.parse(step.started_at));
}

/** The facts of a step in one line; running times update every second. */
export function Facts({ step, open, className }: { step: Step; open: Approval[]; className?: string }) {
  const moving = step.started_at !== null && step.ended_at === null;
  const now = useClock((ms) => (moving ? Math.floor(ms / 1000) * 1000 : 0));
  const facts = factsOf(step, open, now);
  return (
    <span className={className} title={facts.map((fact) => `${fact.text}: ${fact.title}`).join("\n")}>
      {facts.map((fact, i) => (
        <span key={fact.key}>
          {i > 0 && <span aria-hidden> · </span>}
          {fact.text}
        </span>
      ))}
    </span>
  );
}

/** Who performs a step, in words. */
export function doer(step: Pick<Step, "kind" | "agent" | "workflow" | "tool">): string {
  if (step.kind === "human") return "People";
  if (step.kind === "workflow") return step.workflow ? `Workflow ${format.title(step.workflow)}` : "Workflow";
  if (step.kind === "tool") return step.tool ? toolName(step.tool) : "Tool";
  return step.agent ? format.title(step.agent) : "Agent";
}

/** A tool in words: of an MCP server, with the server's name. */
function toolName(tool: string): string {
  const [, server, name] = /^mcp:([^/]+)\/(.+)$/.exec(tool) ?? [];
  return server && name ? `Tool ${format.title(name)} of ${format.title(server)}` : `Tool ${format.title(tool)}`;
}

/** A step in one sentence, for screen readers. */
export function sentenceOf(step: Step, open: Approval[], now: number): string {
  const facts = factsOf(step, open, now).map((f) => f.text);
  return [format.title(step.id), stepStatus[step.status].label.toLowerCase(), doer(step), ...facts].join(", ");
}
