import type { Event, Run, Step } from "../api/types";
import { Avatar, JsonView, StatusBadge } from "../ui";
import { FoldedText } from "../ui/FoldedText";
import { format } from "../words";

/** The run as it was: its status, context and step results. */
export function StatePanel({ state, event, step }: { state: Run; event?: Event; step?: string }) {
  const chosen = step === undefined ? undefined : state.steps.find((s) => s.id === step);
  return (
    <div className="space-y-4 p-4">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-control">
        <StatusBadge run={state.status} cancelling={state.cancelling !== undefined} />
        <span>{doneText(state.steps)}</span>
        <span className="text-muted">{format.money(state.usage.cost_usd)} so far</span>
        {state.pending_approvals.length > 0 && (
          <span className="text-muted">{format.plural(state.pending_approvals.length, "open decision")}</span>
        )}
      </p>
      {chosen && (
        <section>
          <h3 className="mb-1 flex items-center gap-2 text-control font-semibold">
            {format.title(chosen.id)} <StatusBadge step={chosen.status} />
          </h3>
          {chosen.error && (
            <div className="mb-2">
              <FoldedText text={chosen.error.message} className="text-bad-text" />
            </div>
          )}
          {chosen.reasoning && (
            <p dir="auto" className="mb-2 break-words whitespace-pre-wrap text-muted">
              {chosen.reasoning}
            </p>
          )}
          {chosen.output ? <JsonView value={chosen.output} /> : <p className="text-muted">No output at this point.</p>}
        </section>
      )}
      {state.output && (
        <section>
          <h3 className="mb-1 text-control font-semibold">Output of the run</h3>
          <JsonView value={state.output} />
        </section>
      )}
      <section>
        <h3 className="mb-1 text-control font-semibold">Context</h3>
        <p className="mb-1 text-small text-muted">
          Data available to steps at this point: the input and earlier outputs.
        </p>
        <JsonView value={state.context} />
      </section>
      {event && (
        <section>
          <h3 className="mb-1 text-control font-semibold">The event as it was recorded</h3>
          <JsonView value={event.data} />
        </section>
      )}
    </div>
  );
}

/** The progress: "1 of 3 steps done, 1 failed". Failed and skipped steps are not done. */
export function doneText(steps: Pick<Step, "status">[]): string {
  const count = (status: Step["status"]) => steps.filter((step) => step.status === status).length;
  const others: [number, string][] = [
    [count("failed"), "failed"],
    [count("skipped"), "left out"],
    [count("cancelled"), "cancelled"],
  ];
  const told = others.filter(([n]) => n > 0).map(([n, word]) => `, ${format.count(n)} ${word}`);
  return `${format.count(count("done"))} of ${format.plural(steps.length, "step")} done${told.join("")}`;
}

/** The thread as of the position. */
export function ThreadPanel({ state }: { state: Run }) {
  if (state.thread.length === 0) return <p className="p-4 text-muted">No messages at this point.</p>;
  return (
    <ol className="space-y-3 p-4">
      {state.thread.map((message, i) => (
        <li key={i} className="flex gap-2.5">
          <Avatar name={message.from.name || "Assent"} decorative />
          <div className="min-w-0">
            <p className="text-small text-muted">
              <span className="font-medium text-text">{message.from.name || "Assent"}</span>
              {message.to && ` to ${format.title(message.to)}`}{" "}
              <time dateTime={message.at} title={format.exact(Date.parse(message.at))}>
                {format.day(Date.parse(message.at))}
              </time>
            </p>
            <p dir="auto" className="break-words whitespace-pre-wrap">
              {message.text}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
