import { ArrowRight, Pencil, SkipForward, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useRunEvents, useStepDetail } from "../api";
import type { Below } from "../api/below";
import { usePermitted } from "../api/permitted";
import type { Approval, Run, StepDetail } from "../api/types";
import { blobOf } from "../decide/blob";
import { askText, waitedFor } from "../graph";
import { Ahead } from "../graph/ahead";
import { doer } from "../graph/facts";
import type { Raw } from "../json";
import { Link } from "../router";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { ConfidenceBar } from "../ui/ConfidenceBar";
import { ErrorNote } from "../ui/ErrorNote";
import { FoldedText } from "../ui/FoldedText";
import { JsonView } from "../ui/JsonView";
import { SkeletonRows } from "../ui/Skeleton";
import { StatusBadge } from "../ui/StatusBadge";
import { Elapsed, Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format, skipReason } from "../words";
import { addedWhy } from "./added";
import { Calls } from "./Calls";
import { type Asked, commandsFor } from "./commands";
import { Fold } from "./Fold";
import { Limits } from "./Limits";
import { Tries } from "./Tries";
import { failureWord } from "./words";

interface Props {
  run: Run;
  step: string;
  approvals: Approval[];
  /** Pending approvals of its sub-runs. */
  below?: Below[];
  onClose?: () => void;
  onCommand: (asked: Asked) => void;
}

/** Everything about one step. */
export function Inspector({ run, step: id, approvals, below = [], onClose, onCommand }: Props) {
  const [full, setFull] = useState(false);
  const { data: step, error, isPending } = useStepDetail(run.id, id, undefined, full);
  const open = approvals.filter((a) => a.step === id && a.status === "pending");
  if (step?.child) open.push(...below.filter((b) => b.child === step.child).map((b) => b.approval));
  return (
    <section aria-label={`Step ${format.title(id)}`} className="flex min-h-0 flex-col">
      <header className="sticky top-0 z-10 flex items-center gap-2 border-b bg-surface px-4 py-2 max-md:hidden">
        <h2 className="min-w-0 flex-1 font-semibold break-words">{format.title(id)}</h2>
        {onClose && (
          <IconButton label="Close the step" onClick={onClose}>
            <X />
          </IconButton>
        )}
      </header>
      {isPending && <SkeletonRows rows={4} />}
      {error && !step && (
        <div className="p-4">
          <ErrorNote error={error} />
        </div>
      )}
      {step && (
        <div className="min-w-0 space-y-4 p-4 max-md:p-0">
          <Facts run={run} step={step} asked={open.length > 0} />
          {step.injected && <Added run={run.id} step={step.id} />}
          <Actions run={run} step={step} onCommand={onCommand} />
          <Waiting approvals={open} />
          <Trouble step={step} />
          {step.reasoning && (
            <Part title="Reasoning">
              <p dir="auto" className="break-words whitespace-pre-wrap">
                {step.reasoning}
              </p>
            </Part>
          )}
          <Guidance texts={step.guidance ?? []} />
          <Limits limits={step.limits} />
          <Calls calls={step.calls} />
          <Value title="Output" value={step.output} onFull={() => setFull(true)} empty="No output yet." />
          <Value title="Input" value={step.input} onFull={() => setFull(true)} empty="Not started yet." />
          <Tries tries={step.tries} />
          {step.logs && (
            <Fold title="Log" aside={format.plural(step.logs.split("\n").length, "line")}>
              <CodeBlock text={step.logs} />
            </Fold>
          )}
        </div>
      )}
    </section>
  );
}

/** Why a step that is not in the workflow was added to the run. */
function Added({ run, step }: { run: string; step: string }) {
  const { data: events } = useRunEvents(run);
  const why = addedWhy(events ?? [], step);
  if (why.length === 0) return null;
  return (
    <Part title="Added because">
      <ul className="space-y-0.5">
        {why.map((reason) => (
          <li key={reason} className="break-words">
            <Visible text={reason} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Facts({ run, step, asked }: { run: Run; step: StepDetail; asked: boolean }) {
  const { usage } = step;
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {/* To the server, an agent blocked by a decision is running; people see that it is waiting. */}
        <StatusBadge step={asked && step.status === "running" ? "waiting" : step.status} />
        {step.skipped && <span className="text-muted">{skipReason[step.skipped].sentence}</span>}
        {step.injected && (
          <Badge tone="accent" title="Not in the workflow: added to this run by a person or a planner.">
            Added to this run
          </Badge>
        )}
        <Ahead ahead={step.ahead} />
        <ConfidenceBar confidence={step.confidence} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-control">
        <Row name="By">{doer(step)}</Row>
        {step.child && (
          <Row name="Sub-run">
            <Link
              to="/runs/$id"
              params={{ id: step.child }}
              className="inline-flex items-center gap-1 text-accent-text hover:underline"
            >
              Open it <ArrowRight aria-hidden className="size-3.5" />
            </Link>
          </Row>
        )}
        {step.needs.length > 0 && <Row name="After">{step.needs.map(format.title).join(", ")}</Row>}
        {step.started_at && (
          <Row name="Started">
            <Time at={step.started_at} />
          </Row>
        )}
        {step.started_at && step.kind !== "human" && (
          <Row name="Worked" title="From its start to its end, or until now, excluding waits for people.">
            {step.waited_ms || step.ended_at ? (
              format.duration(step.worked_ms ?? 0)
            ) : (
              <Elapsed from={step.started_at} to={run.ended_at} />
            )}
          </Row>
        )}
        {step.waited_ms ? (
          <Row name="Waited" title="For decisions, including those before it started.">
            {format.duration(step.waited_ms)} for people
          </Row>
        ) : null}
        {step.elements && (
          <Row name="List" title="The step runs once for each entry of a list.">
            {step.elements.done} of {step.elements.total} done
            {step.elements.running > 0 && `, ${step.elements.running} at work`}
          </Row>
        )}
        {usage?.llm_calls ? (
          <Row name="Models" title="Calls of models, the tokens they read and wrote, and what they cost.">
            {format.plural(usage.llm_calls, "call")}, {format.count(usage.tokens_in ?? 0)} tokens in,{" "}
            {format.count(usage.tokens_out ?? 0)} out, {format.money(usage.cost_usd ?? "0")}
          </Row>
        ) : usage?.cost_usd ? (
          <Row name="Cost">{format.money(usage.cost_usd)}</Row>
        ) : null}
      </dl>
    </div>
  );
}

function Row({ name, title, children }: { name: string; title?: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted" title={title}>
        {name}
      </dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}

/** Actions on a step that has not started. */
function Actions({ run, step, onCommand }: { run: Run; step: StepDetail; onCommand: (asked: Asked) => void }) {
  const ahead = step.status === "pending" || (step.status === "waiting" && step.started_at === null);
  const may = usePermitted(run)(commandsFor(run));
  if (run.ended_at !== null || !ahead) return null;
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {may.includes("modify_args") && (
        <Button size="small" onClick={() => onCommand({ type: "modify_args", step: step.id })}>
          <Pencil /> Change its input
        </Button>
      )}
      {may.includes("skip_step") && (
        <Button size="small" onClick={() => onCommand({ type: "skip_step", step: step.id })}>
          <SkipForward /> Skip it
        </Button>
      )}
    </div>
  );
}

function Waiting({ approvals }: { approvals: Approval[] }) {
  if (approvals.length === 0) return null;
  return (
    <ul className="divide-y rounded-sm border border-warn-fill text-control">
      {approvals.map((approval) => (
        <li key={approval.id}>
          <Link
            to="/approvals/$id"
            params={{ id: approval.id }}
            className="flex min-h-9 items-center gap-2 px-3 py-1.5 hover:bg-hover"
          >
            <span className="min-w-0 flex-1 break-words">{askText(approval)}</span>
            <span className="text-small text-warn-text">for {waitedFor(approval)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Trouble({ step }: { step: StepDetail }) {
  const { error } = step;
  if (!error) return null;
  return (
    <div className="rounded-sm border border-bad-fill bg-bad-bg p-3 text-bad-text">
      <FoldedText text={error.message} className="font-semibold" />
      <p className="text-small">{failureWord(error.code)}</p>
      {error.child && (
        <Link to="/runs/$id" params={{ id: error.child.run }} className="text-small underline">
          Open the sub-run that failed
        </Link>
      )}
      {error.body && (
        <Fold title="What the other side answered">
          <CodeBlock text={error.body} />
        </Fold>
      )}
      {error.stack && (
        <Fold title="Where in the agent's code">
          <CodeBlock text={error.stack} wrap={false} />
        </Fold>
      )}
    </div>
  );
}

function Guidance({ texts }: { texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <Part title="What people said about earlier tries">
      <ol className="list-decimal space-y-1 pl-5">
        {texts.map((text, i) => (
          <li key={i} dir="auto" className="break-words whitespace-pre-wrap">
            {text}
          </li>
        ))}
      </ol>
    </Part>
  );
}

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-1 text-control font-semibold">{title}</h3>
      {children}
    </div>
  );
}

function Value(props: { title: string; value: Raw | null; onFull: () => void; empty: string }) {
  const { title, value, onFull, empty } = props;
  const blob = blobOf(value);
  return (
    <Fold
      title={title}
      open={value !== null}
      aside={value && !blob ? format.bytes(new Blob([value.$json]).size) : undefined}
    >
      {value === null ? (
        <p className="text-muted">{empty}</p>
      ) : blob ? (
        <div className="space-y-2">
          <CodeBlock text={`${blob.preview}…`} />
          <Button size="small" onClick={onFull}>
            Show all {format.bytes(blob.size)}
          </Button>
        </div>
      ) : (
        <JsonView value={value} />
      )}
    </Fold>
  );
}
