import { plain, type Raw, type Tree, treeOf } from "../json";
import { Badge } from "../ui/Badge";
import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { adviceText } from "../words/changed";
import { LongText } from "./LongText";
import { Values } from "./Values";

export interface Listed {
  step: string;
  by: string;
  status: string;
  risk: string;
  operation: string;
  error: string;
  gates: string[];
  added: boolean;
  value?: Tree;
}

/** A decision point between layers: what was done and found, what the agent in the loop said and what is next, which
 * the form shows while the plan is edited. */
export function Point({ show, editing }: { show: Raw | null; editing?: boolean }) {
  const point = pointOf(show);
  if (!point) return null;
  return (
    <>
      {point.summary && (
        <Card title="Summary">
          <LongText text={point.summary} />
          {point.summaryBy && (
            <p className="mt-1 text-small text-muted">
              By <Visible text={format.title(point.summaryBy)} />
            </p>
          )}
        </Card>
      )}
      <Card title="What was done">
        <ol className="space-y-3">
          {point.done.map((s) => (
            <PointStep key={s.step} step={s} />
          ))}
        </ol>
        {point.doneLeftOut > 0 && <p className="mt-2 text-muted">and {steps(point.doneLeftOut, "earlier ")}</p>}
      </Card>
      {point.advice && (
        <Card title="Advice of the agent in the loop">
          <p>
            <span className="font-medium">
              <Visible text={point.advice.fallback ? "No usable answer" : adviceText(point.advice.action ?? "")} />
            </span>
            {point.advice.requirement && (
              <>
                {": "}
                <Visible text={point.advice.requirement} />
              </>
            )}
          </p>
          {point.advice.reasoning && (
            <p className="mt-1 break-words">
              <Visible text={point.advice.reasoning} />
            </p>
          )}
          {point.advice.agent && (
            <p className="mt-1 text-small text-muted">
              <Visible text={format.title(point.advice.agent)} />
            </p>
          )}
        </Card>
      )}
      {!editing && (
        <Card title="What is next">
          {point.next.length === 0 && <p className="text-muted">No step can start.</p>}
          <ol className="space-y-3">
            {point.next.map((s) => (
              <PointStep key={s.step} step={s} />
            ))}
          </ol>
          {point.nextLeftOut > 0 && <p className="mt-2 text-muted">and {steps(point.nextLeftOut)} more</p>}
          <Names text="Later" ids={point.later} more={point.laterLeftOut} />
          <Names text="Skipped if the run continues" ids={point.wouldSkip} more={point.wouldSkipLeftOut} />
        </Card>
      )}
    </>
  );
}

function steps(n: number, which = "") {
  return `${n} ${which}${n === 1 ? "step" : "steps"}`;
}

function Names({ text, ids, more }: { text: string; ids: string[]; more: number }) {
  if (ids.length === 0) return null;
  return (
    <p className="mt-2 text-small break-words text-muted">
      {text}: <Visible text={ids.map(format.title).join(", ")} />
      {more > 0 && ` and ${more} more`}
    </p>
  );
}

function PointStep({ step }: { step: Listed }) {
  return (
    <li className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium">
          <Visible text={format.title(step.step)} />
        </span>
        <span className="text-small text-muted">
          <Visible text={[step.by, step.operation].map(format.title).filter(Boolean).join(" · ")} />
        </span>
        {step.status && step.status !== "done" && (
          <Badge tone={step.status === "failed" ? "bad" : "neutral"}>{format.title(step.status)}</Badge>
        )}
        {step.risk && <Badge tone={step.risk === "low" ? "neutral" : "warn"}>{format.title(step.risk)} risk</Badge>}
        {step.added && <Badge tone="ok">New</Badge>}
      </p>
      {step.error && (
        <p className="break-words text-bad-text">
          <Visible text={step.error} />
        </p>
      )}
      {step.value && (
        <div className="mt-1">
          <Values tree={step.value} />
        </div>
      )}
      {step.gates.length > 0 && (
        <p className="mt-1 text-small text-muted">
          Asks again before it starts: <Visible text={step.gates.join(", ")} />
        </p>
      )}
    </li>
  );
}

interface Advice {
  agent?: string;
  action?: string;
  requirement?: string;
  reasoning?: string;
  fallback?: boolean;
}

/** Undefined unless the data describes a decision point. */
export function pointOf(show: Raw | null) {
  const data = plain<Record<string, unknown>>(show);
  if (!data || !Array.isArray(data.done) || !Array.isArray(data.next)) return undefined;
  const tree = treeOf(show);
  return {
    done: listed(tree, "done", "output"),
    next: listed(tree, "next", "input"),
    later: words(data.later),
    wouldSkip: words(data.would_skip),
    doneLeftOut: Number(data.done_left_out ?? 0),
    nextLeftOut: Number(data.next_left_out ?? 0),
    laterLeftOut: Number(data.later_left_out ?? 0),
    wouldSkipLeftOut: Number(data.would_skip_left_out ?? 0),
    summary: text(tree, "summary"),
    summaryBy: text(tree, "summary_by"),
    advice: data.advice as Advice | undefined,
  };
}

/** Whether supporting data can be drawn as a decision point. */
export function isPoint(show: Raw | null): boolean {
  return pointOf(show) !== undefined;
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function listed(tree: Tree, list: "done" | "next", value: "output" | "input"): Listed[] {
  const items = member(tree, list);
  if (items?.kind !== "array") return [];
  return items.items.map((item) => {
    const gates = member(item, "gates");
    const found = member(item, value);
    return {
      step: text(item, "step"),
      by: text(item, "by"),
      status: text(item, "status"),
      risk: text(item, "risk"),
      operation: text(item, "operation"),
      error: text(item, "error"),
      gates: gates?.kind === "array" ? gates.items.map((g) => (g.kind === "string" ? g.value : "")) : [],
      added: member(item, "added") !== undefined,
      ...(found && { value: found }),
    };
  });
}

function member(tree: Tree, key: string): Tree | undefined {
  return tree.kind === "object" ? tree.members.find((m) => m.key === key)?.value : undefined;
}

function text(tree: Tree, key: string): string {
  const found = member(tree, key);
  return found?.kind === "string" ? found.value : "";
}
