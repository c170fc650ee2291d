import { useEffect, useRef, useState } from "react";
import { useCancelRuns } from "../api";
import type { Cancelling } from "../api/types";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Progress } from "../ui/Progress";
import { Skeleton } from "../ui/Skeleton";
import { Textarea } from "../ui/Textarea";
import { format, runStatus } from "../words";

const atOnce = 50;

interface Outcome {
  cancelled: number;
  skipped: number;
  failed: Cancelling["failed"];
}

/** Cancels many runs: shows the effect first, then works in chunks and reports every result. */
export function BulkCancel(props: { ids: string[]; onClose: () => void; onDone: () => void }) {
  const { onClose, onDone } = props;
  const [ids] = useState(props.ids); // as selected: cancelled runs may leave the list
  const estimate = useCancelRuns();
  const cancel = useCancelRuns();
  const [reason, setReason] = useState("");
  const [at, setAt] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<unknown>();
  const stopped = useRef(false);
  const { mutate } = estimate;
  const list = ids.join(",");
  useEffect(() => mutate({ ids: list.split(","), just_count: true }), [mutate, list]);
  useEffect(() => {
    stopped.current = false;
    return () => {
      stopped.current = true;
    };
  }, []);

  const go = async () => {
    const sum: Outcome = { cancelled: 0, skipped: 0, failed: [] };
    setError(undefined);
    for (let i = 0; i < ids.length && !stopped.current; i += atOnce) {
      setAt(i);
      const part = ids.slice(i, i + atOnce);
      try {
        const answer = await cancel.mutateAsync({ ids: part, reason: reason.trim() || undefined });
        sum.cancelled += answer.cancelled;
        sum.failed = [...sum.failed, ...answer.failed];
        sum.skipped += part.length - answer.cancelled - answer.failed.length;
      } catch (problem) {
        setError(problem);
        break;
      }
    }
    setAt(undefined);
    setOutcome(sum);
    if (sum.failed.length === 0) onDone();
  };

  const would = estimate.data;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={outcome ? "What came of it" : "Cancel the selected runs?"}
      description={
        outcome
          ? undefined
          : "Running steps are told to stop. This cannot be undone; cancelled runs can be run again or forked."
      }
      footer={
        outcome ? (
          <Button look="filled" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>Keep them running</Button>
            <Button
              look="danger"
              disabled={!would || would.runs === 0}
              loading={at !== undefined}
              onClick={() => void go()}
            >
              {would ? `Cancel ${format.plural(would.runs, "run")}` : "Cancel"}
            </Button>
          </>
        )
      }
    >
      <div className="space-y-3">
        {!outcome && !would && !estimate.error && <Skeleton className="h-16" />}
        {!!estimate.error && <ErrorNote error={estimate.error} />}
        {!outcome && would && <Estimate would={would} asked={ids.length} />}
        {!outcome && would && would.runs > 0 && at === undefined && (
          <Field label="Why?" hint="Saved in the audit log of each run.">
            <Textarea value={reason} onChange={(e) => setReason(e.target.value)} />
          </Field>
        )}
        {at !== undefined && (
          <Progress percent={(100 * at) / ids.length} label={`${at} of ${ids.length} runs`} className="h-2" />
        )}
        {outcome && <Result outcome={outcome} />}
        {!!error && <ErrorNote error={error} />}
      </div>
    </Dialog>
  );
}

function Estimate({ would, asked }: { would: Cancelling; asked: number }) {
  const already = asked - would.runs;
  return (
    <ul className="list-disc space-y-1 pl-5">
      <li>
        <span className="font-semibold">{format.plural(would.runs, "run")}</span> would be cancelled
        {already > 0 && `; ${format.count(already)} of the ${format.count(asked)} selected have ended already`}.
      </li>
      {Object.entries(would.by_status).map(([status, n]) => (
        <li key={status}>
          {format.count(n)}{" "}
          {status in runStatus ? runStatus[status as keyof typeof runStatus].label.toLowerCase() : status}
        </li>
      ))}
      {Object.entries(would.by_workflow).map(([workflow, n]) => (
        <li key={workflow}>
          {format.count(n)} of {format.title(workflow)}
        </li>
      ))}
      {would.approvals > 0 && <li>{format.plural(would.approvals, "open decision")} would close with them.</li>}
    </ul>
  );
}

function Result({ outcome }: { outcome: Outcome }) {
  return (
    <div role="status" className="space-y-2">
      <p>
        <span className="font-semibold">{format.plural(outcome.cancelled, "run")}</span> cancelled
        {outcome.skipped > 0 && `, ${format.count(outcome.skipped)} had ended already`}
        {outcome.failed.length > 0 && `, ${format.count(outcome.failed.length)} could not be`}.
      </p>
      {outcome.failed.length > 0 && (
        <ul className="divide-y rounded-sm border">
          {outcome.failed.map((one) => (
            <li key={one.id} className="px-3 py-1.5 text-bad-text">
              <span title={one.id}>Run {format.shortId(one.id)}</span>: {one.error}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
