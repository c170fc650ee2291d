import { type ReactNode, useMemo } from "react";
import type { Approval, Event, Run } from "../api/types";
import { spansOf, timesOf } from "../graph/spans";
import { Link } from "../router";
import { useClock } from "../ui/clock";
import { Progress } from "../ui/Progress";
import { StatusBadge } from "../ui/StatusBadge";
import { TestBadge } from "../ui/TestBadge";
import { Elapsed, Time } from "../ui/Time";
import { Tooltip } from "../ui/Tooltip";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { type More, standing } from "./words";

/** Below the title: the status of the run, in words and numbers. */
export function RunLead({ run, ...more }: { run: Run } & More) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {run.subject && (
        <span className="basis-full text-lead font-medium break-words text-text">
          <Visible text={run.subject} />
        </span>
      )}
      <StatusBadge run={run.status} cancelling={run.cancelling !== undefined} />
      <span className="text-text">{standing(run, more)}</span>
      <TestBadge test={run.test_mode} />
      <Link
        to="/runs"
        search={{ workflow: run.workflow }}
        title="The workflow version that this run uses. Opens all runs of the workflow."
        className="reach inline-flex min-h-6 items-center hover:underline"
      >
        version {run.version}
      </Link>
      <span>
        started by {run.owner || "an unknown user"} <Time at={run.started_at} />
      </span>
      <Relations run={run} />
    </span>
  );
}

function Relations({ run }: { run: Run }) {
  const to = (id: string, text: string) => (
    <Link to="/runs/$id" params={{ id }} className="text-accent-text hover:underline" title={id}>
      {text}
    </Link>
  );
  return (
    <>
      {run.parent && to(run.parent, "part of another run")}
      {run.retry_of && to(run.retry_of, "repeats an earlier run")}
      {run.forked_from && to(run.forked_from, "forked from another run")}
    </>
  );
}

/** Progress, time and cost, each with how it is computed. */
export function RunNumbers({ run, approvals, events }: { run: Run; approvals: Approval[]; events: Event[] }) {
  const { done, total, percent, eta_s } = run.progress;
  const { usage } = run;
  const tokensIn = usage.tokens_in ?? 0;
  const tokensOut = usage.tokens_out ?? 0;
  return (
    <dl className="flex flex-wrap items-stretch gap-x-8 gap-y-3 rounded-md border bg-surface px-4 py-3 max-sm:gap-x-6">
      <Figure
        name="Progress"
        how={`${done} of ${total} steps are done, failed or left out.`}
        className="min-w-48 flex-1 max-sm:basis-full"
        value={
          <span className="flex items-center gap-3">
            <span className="whitespace-nowrap">
              {format.count(done)} of {format.count(total)} <span className="text-muted">steps</span>
            </span>
            <Progress percent={percent} label={`${done} of ${total} steps done`} className="max-w-56" />
          </span>
        }
      />
      <Times run={run} approvals={approvals} events={events} />
      {eta_s !== null && run.ended_at === null && (
        <Figure
          name="Left"
          how="The server's estimate for the remaining steps, excluding waits for people."
          value={`about ${format.duration(eta_s * 1000)}`}
        />
      )}
      <Figure
        name="Cost"
        how="Reported by agents and tools, in US dollars, for all steps and tries."
        value={format.money(usage.cost_usd ?? "0")}
      />
      {run.ahead_usage && (
        <Figure
          name="Cost of running ahead"
          how="Of steps that ran ahead of an approval and were not used, or not yet. Not part of the cost."
          value={format.money(run.ahead_usage.cost_usd ?? "0")}
        />
      )}
      {(usage.llm_calls ?? 0) > 0 && (
        <Figure
          name="Model calls"
          how="Calls to models, including retries."
          value={format.count(usage.llm_calls ?? 0)}
        />
      )}
      {tokensIn + tokensOut > 0 && (
        <Figure
          name="Tokens"
          how={`${format.count(tokensIn)} read and ${format.count(tokensOut)} written by models.`}
          value={
            <>
              {format.count(tokensIn)} <span className="text-muted">in</span> {format.count(tokensOut)}{" "}
              <span className="text-muted">out</span>
            </>
          }
        />
      )}
    </dl>
  );
}

/** Work time and idle time, separately; one figure if there was no wait. */
function Times({ run, approvals, events }: { run: Run; approvals: Approval[]; events: Event[] }) {
  const going = run.ended_at === null;
  const clock = useClock((ms) => (going ? Math.floor(ms / 1000) * 1000 : 0));
  const { worked, waited } = useMemo(
    () => timesOf(spansOf(run, approvals, events, clock)),
    [run, approvals, events, clock],
  );
  if (waited < 1000)
    return (
      <Figure
        name="Time"
        how={going ? "Since the start." : "From the start to the end."}
        value={<Elapsed from={run.started_at} to={run.ended_at} />}
      />
    );
  return (
    <>
      <Figure name="Working" how="How long at least one step was running." value={format.duration(worked)} />
      <Figure
        name="Waiting"
        how="How long no step was running: the run waited for people or was paused."
        value={format.duration(waited)}
      />
    </>
  );
}

function Figure({ name, how, value, className }: { name: string; how: string; value: ReactNode; className?: string }) {
  return (
    <div className={className}>
      <dt className="text-meta text-muted">
        <Tooltip content={how}>
          <button
            type="button"
            className="reach cursor-help underline decoration-dotted underline-offset-2"
            aria-label={`${name}: ${how}`}
          >
            {name}
          </button>
        </Tooltip>
      </dt>
      <dd className="mt-0.5 font-medium whitespace-nowrap">{value}</dd>
    </div>
  );
}
