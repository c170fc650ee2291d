import type { LucideIcon } from "lucide-react";
import { useRun, useStepDetail } from "../api";
import type { Call, Run, Step, Try } from "../api/types";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Visible } from "../ui/Visible";
import { format, stepStatus, type Tone } from "../words";
import { callWord } from "../words/calls";
import { toneText } from "./tones";

/** One line of a step's contents. */
export interface Inner {
  key: string;
  label: string;
  status: { label: string; tone: Tone; icon: LucideIcon };
}

const shownMax = 100;

/** The contents of a step: the entries of a list, the steps of its sub-run, or the calls of its agent. */
export function Within({ run, step }: { run: string; step: Step }) {
  return step.child && !step.elements ? <OfSubRun id={step.child} /> : <OfStep run={run} step={step.id} />;
}

function OfSubRun({ id }: { id: string }) {
  const { data } = useRun(id);
  return (
    <Lines lines={data && stepsOf(data)}>
      <li>
        <Link
          to="/runs/$id"
          params={{ id }}
          className="block px-3 py-1 text-small text-accent-text -outline-offset-2 hover:underline"
        >
          Open the sub-run
        </Link>
      </li>
    </Lines>
  );
}

function OfStep({ run, step }: { run: string; step: string }) {
  const { data } = useStepDetail(run, step);
  return <Lines lines={data && (data.elements ? entriesOf(data.tries) : callsOf(data.calls))} />;
}

function Lines({ lines, children }: { lines: Inner[] | undefined; children?: React.ReactNode }) {
  if (!lines) return <p className="px-3 py-1 text-small text-muted">Reading …</p>;
  const rest = lines.length - shownMax;
  return (
    <ul className="py-1">
      {lines.slice(0, shownMax).map(({ key, label, status }) => (
        <li key={key} title={status.label} className="flex items-center gap-1.5 px-3 py-0.5 text-small">
          <status.icon aria-hidden className={cn("size-3.5 shrink-0", toneText[status.tone])} />
          <span className="min-w-0 flex-1 truncate">
            <Visible text={label} />
          </span>
          <span className="sr-only">{status.label}</span>
        </li>
      ))}
      {lines.length === 0 && <li className="px-3 py-0.5 text-small text-muted">Nothing yet</li>}
      {rest > 0 && <li className="px-3 py-0.5 text-small text-muted">and {format.count(rest)} more</li>}
      {children}
    </ul>
  );
}

export function stepsOf(run: Pick<Run, "steps">): Inner[] {
  return run.steps.map((step) => ({ key: step.id, label: format.title(step.id), status: stepStatus[step.status] }));
}

/** The entries of a list, each with the status of its last attempt. */
export function entriesOf(tries: Try[]): Inner[] {
  const last = new Map(tries.map((t) => [t.index ?? 0, t]));
  return [...last]
    .sort(([a], [b]) => a - b)
    .map(([index, t]) => ({
      key: String(index),
      label: `Entry ${format.count(index + 1)}`,
      status: stepStatus[t.error ? "failed" : t.ended_at ? "done" : "running"],
    }));
}

export function callsOf(calls: Call[]): Inner[] {
  return calls.map((call, i) => ({
    key: `${call.id} ${i}`,
    label: call.does || format.title(call.tool),
    status: callWord(call.status),
  }));
}
