import { useState } from "react";
import { useWorkflows } from "../api";
import { type Forgetting, type RunTaught, useForgetExperience } from "../api/experience";
import { Button, Dialog, ErrorNote, Field, Select, Textarea, toast } from "../ui";
import { format } from "../words";
import { called } from "../words/suggestion";

/** A tool or a run; without either, the dialog asks. */
export interface Target {
  tool?: string;
  run?: RunTaught;
}

const everything = "*";

const titleOf = ({ tool, run }: Target): string => {
  if (tool) return `Forget what was learned about ${called(tool)}?`;
  if (run) return `Forget what the run ${format.shortId(run.run)} taught?`;
  return "Forget what was learned?";
};

/** Forgets what was learned so far. It stays forgotten; runs that end later teach again. */
export function ForgetDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const forget = useForgetExperience();
  const { data: workflows } = useWorkflows();
  const [workflow, setWorkflow] = useState("");
  const [reason, setReason] = useState("");
  const asks = !target.tool && !target.run;
  const what = (): Forgetting => {
    const why = reason.trim() === "" ? {} : { reason: reason.trim() };
    if (target.tool) return { tool: target.tool, ...why };
    if (target.run) return { run: target.run.run, ...why };
    return workflow === everything ? { all: true, ...why } : { workflow, ...why };
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={titleOf(target)}
      description="Searches for tools no longer use it, and it can't be restored. Runs that end later teach again."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            loading={forget.isPending}
            disabled={asks && workflow === ""}
            onClick={() =>
              forget.mutate(what(), {
                onSuccess: ({ runs }) => {
                  toast({ title: `Forgotten, from ${format.plural(runs, "run")}`, tone: "ok" });
                  onClose();
                },
              })
            }
          >
            Forget
          </Button>
        </>
      }
    >
      {asks && (
        <Field label="What to forget">
          <Select
            value={workflow}
            onValueChange={setWorkflow}
            placeholder="Choose…"
            options={[
              { value: everything, label: "Everything" },
              ...(workflows?.items ?? []).map(({ name }) => ({ value: name, label: `Runs of ${format.title(name)}` })),
            ]}
          />
        </Field>
      )}
      <Field label="Reason" hint="Optional. Recorded in the audit log with your name.">
        <Textarea rows={2} value={reason} onChange={(e) => setReason(e.target.value)} />
      </Field>
      {forget.error && <ErrorNote error={forget.error} />}
    </Dialog>
  );
}
