import { useState } from "react";
import { useStepDetail } from "../api";
import type { Run } from "../api/types";
import { CannotPatch, mergePatch, pretty, type Raw, raw, treeOf } from "../json";
import { Button } from "../ui/Button";
import { CodeEditor } from "../ui/CodeEditor";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Select } from "../ui/Select";
import { Skeleton } from "../ui/Skeleton";
import { Textarea } from "../ui/Textarea";
import { format } from "../words";
import { type Asked, ahead } from "./commands";
import { ForkDialog } from "./ForkDialog";
import { InjectDialog } from "./InjectDialog";
import { RaiseDialog } from "./RaiseDialog";
import { closing, useSend } from "./useSend";

interface Props {
  run: Run;
  asked: Asked | undefined;
  onClose: () => void;
}

/** Asks for the input of a command, and reports its result. */
export function CommandDialogs({ run, asked, onClose }: Props) {
  switch (asked?.type) {
    case "cancel":
    case "abort":
      return <Stop run={run} abort={asked.type === "abort"} onClose={onClose} />;
    case "skip_step":
      return <Skip run={run} first={asked.step} onClose={onClose} />;
    case "modify_args":
      return <Modify run={run} first={asked.step} onClose={onClose} />;
    case "inject_steps":
      return <InjectDialog run={run} onClose={onClose} />;
    case "replan":
      return <Replan run={run} onClose={onClose} />;
    case "raise":
      return <RaiseDialog run={run} onClose={onClose} />;
    case "fork":
      return <ForkDialog run={run} onClose={onClose} />;
    default:
      return null;
  }
}

function Stop({ run, abort, onClose }: { run: Run; abort: boolean; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const { send, busy, error } = useSend(run, onClose);
  const open = run.pending_approvals.length;
  return (
    <Dialog
      open
      onOpenChange={closing(onClose)}
      title={abort ? "Abort this run at once?" : "Cancel this run?"}
      description={
        <>
          {abort ? "Running steps are not waited for." : "Running steps are told to stop, and nothing new starts."}
          {open > 0 && ` ${format.plural(open, "open decision")} ${open === 1 ? "closes" : "close"} with it.`} This
          cannot be undone, but the run can be run again or forked.
        </>
      }
      footer={
        <>
          <Button onClick={onClose}>Keep running</Button>
          <Button
            look="danger"
            loading={busy}
            onClick={() =>
              send(
                { type: abort ? "abort" : "cancel", reason: reason.trim() || undefined },
                abort ? "Aborted" : "Cancelled",
              )
            }
          >
            {abort ? "Abort the run" : "Cancel the run"}
          </Button>
        </>
      }
    >
      <Field label="Why?" hint="Saved in the audit log.">
        <Textarea value={reason} onChange={(e) => setReason(e.target.value)} />
      </Field>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}

function StepSelect({ run, value, onChange }: { run: Run; value: string; onChange: (step: string) => void }) {
  return (
    <Field label="Step" hint="Only steps that have not started.">
      <Select
        value={value}
        onValueChange={onChange}
        options={ahead(run.steps).map((s) => ({ value: s.id, label: format.title(s.id) }))}
        className="w-full"
      />
    </Field>
  );
}

function Skip({ run, first, onClose }: { run: Run; first?: string; onClose: () => void }) {
  const [step, setStep] = useState(first ?? ahead(run.steps)[0]?.id ?? "");
  const { send, busy, error } = useSend(run, onClose);
  return (
    <Dialog
      open
      onOpenChange={closing(onClose)}
      title="Skip a step"
      description="It is skipped, and steps that need it treat it as done."
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            look="filled"
            loading={busy}
            disabled={!step}
            onClick={() => send({ type: "skip_step", step }, `${format.title(step)} is skipped`)}
          >
            Skip {step && format.title(step)}
          </Button>
        </>
      }
    >
      <StepSelect run={run} value={step} onChange={setStep} />
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}

function Modify({ run, first, onClose }: { run: Run; first?: string; onClose: () => void }) {
  const [step, setStep] = useState(first ?? ahead(run.steps)[0]?.id ?? "");
  const detail = useStepDetail(run.id, step || undefined, undefined, true);
  return (
    <Dialog
      open
      onOpenChange={closing(onClose)}
      title="Change a step's input"
      description="The step works on the changed input when it starts. People who were asked about the old one are asked again."
      className="sm:w-[min(680px,calc(100vw-32px))]"
    >
      <StepSelect run={run} value={step} onChange={setStep} />
      {detail.isPending ? (
        <Skeleton className="h-40" />
      ) : (
        <ModifyForm key={step} run={run} step={step} input={detail.data?.input ?? null} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ModifyForm({ run, step, input, onClose }: { run: Run; step: string; input: Raw | null; onClose: () => void }) {
  const [text, setText] = useState(() => (input ? pretty(treeOf(input)) : "{\n  \n}"));
  const { send, busy, error } = useSend(run, onClose);
  const made = patchOf(input, text);
  return (
    <>
      <p className="mb-1 text-small text-muted">
        {input
          ? "Its current input."
          : "Its input is computed when it starts. Fields you set here override those with the same name."}
      </p>
      <CodeEditor language="json" label="Input of the step" value={text} onChange={setText} />
      <p aria-live="polite" className="mt-1 min-h-4 text-small text-bad-text">
        {made.fault}
      </p>
      {error && <ErrorNote error={error} />}
      <div className="sticky -bottom-4 z-10 -mx-4 mt-2 -mb-4 flex justify-end gap-2 rounded-b-lg border-t bg-raised px-4 py-3">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          look="filled"
          loading={busy}
          disabled={!made.patch}
          onClick={() =>
            made.patch &&
            send({ type: "modify_args", step, changes: made.patch }, `Input of ${format.title(step)} changed`)
          }
        >
          Change the input
        </Button>
      </div>
    </>
  );
}

/** The merge patch of an edit, or its error. Without a known input the text is the patch itself. */
export function patchOf(before: Raw | null, text: string): { patch?: Raw; fault?: string } {
  try {
    const after = raw(text);
    if (treeOf(after).kind !== "object") return { fault: "This has to be an object: { … }." };
    if (!before) return after.$json.replaceAll(/\s/g, "") === "{}" ? {} : { patch: after };
    return { patch: mergePatch(before, after) };
  } catch (error) {
    if (error instanceof CannotPatch)
      return { fault: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.` };
    return { fault: "Not valid JSON yet." };
  }
}

function Replan({ run, onClose }: { run: Run; onClose: () => void }) {
  const [requirement, setRequirement] = useState("");
  const [replaces, setReplaces] = useState("");
  const { send, busy, error } = useSend(run, onClose);
  const failed = run.steps.filter(({ status }) => status === "failed");
  return (
    <Dialog
      open
      onOpenChange={closing(onClose)}
      title="Ask for another plan"
      description="A planner finds agents that can do what you need and adds steps. Completed steps are kept."
      footer={
        <>
          <Button onClick={onClose}>Leave the plan</Button>
          <Button
            look="filled"
            loading={busy}
            disabled={!requirement.trim()}
            onClick={() =>
              send(
                { type: "replan", requirement: requirement.trim(), ...(replaces && { replaces }) },
                "Another plan was asked for",
              )
            }
          >
            Ask
          </Button>
        </>
      }
    >
      <Field label="What has to be achieved as well?">
        <Textarea value={requirement} onChange={(e) => setRequirement(e.target.value)} />
      </Field>
      {failed.length > 0 && (
        <Field label="In place of a failed step">
          <Select
            value={replaces}
            onValueChange={setReplaces}
            options={[
              { value: "", label: "None" },
              ...failed.map(({ id }) => ({ value: id, label: format.title(id) })),
            ]}
            className="w-full"
          />
        </Field>
      )}
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}
