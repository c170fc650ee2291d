import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { useAgents } from "../api";
import type { Run } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { CodeEditor } from "../ui/CodeEditor";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Select } from "../ui/Select";
import { format } from "../words";
import { faultsOf, idOf, type NewStep, type StepText, textOf } from "./inject";
import { closing, useSend } from "./useSend";

/** Adds steps to a run: with a form, or as text for anything the form lacks. */
export function InjectDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const [steps, setSteps] = useState<NewStep[]>([{ name: "", agent: "", needs: [] }]);
  const [text, setText] = useState<string>();
  const [fault, setFault] = useState<string>();
  const [tried, setTried] = useState(false);
  const { send, busy, error } = useSend(run, onClose);
  const taken = run.steps.map((step) => step.id);
  const faults = faultsOf(steps, taken);
  const add = async () => {
    setTried(true);
    if (text === undefined) {
      if (faults.some((f) => f.name || f.agent)) return;
      return send({ type: "inject_steps", steps: textOf(steps) }, `${format.plural(steps.length, "step")} added`);
    }
    const read = await readSteps(text);
    if ("fault" in read) return setFault(read.fault);
    setFault(undefined);
    send({ type: "inject_steps", steps: read.steps }, `${format.plural(read.steps.length, "step")} added`);
  };
  const asText = async () => {
    const { stringify } = await import("yaml");
    const filled = steps.filter((step) => step.name || step.agent);
    setText(`# Steps as in a workflow file.\n${stringify(filled.length > 0 ? textOf(filled) : sample)}`);
  };
  const set = (i: number, change: Partial<NewStep>) =>
    setSteps(steps.map((step, n) => (n === i ? { ...step, ...change } : step)));
  return (
    <Dialog
      open
      onOpenChange={closing(onClose)}
      title="Add steps to this run"
      description="They are added to this run only; the workflow is not changed."
      className="sm:w-[min(680px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="filled" loading={busy} onClick={() => void add()}>
            {text === undefined && steps.length === 1 ? "Add the step" : "Add the steps"}
          </Button>
        </>
      }
    >
      {text === undefined ? (
        <div className="space-y-4">
          {steps.map((step, i) => (
            <StepForm
              key={i}
              step={step}
              faults={tried ? (faults[i] ?? {}) : {}}
              others={[...taken, ...steps.slice(0, i).flatMap((s) => idOf(s.name) || [])]}
              onChange={(change) => set(i, change)}
              onRemove={steps.length > 1 ? () => setSteps(steps.filter((_, n) => n !== i)) : undefined}
            />
          ))}
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => setSteps([...steps, { name: "", agent: "", needs: [] }])}>
              <Plus /> Another step
            </Button>
            <Button size="small" look="ghost" onClick={() => void asText()}>
              Write it as text
            </Button>
          </div>
        </div>
      ) : (
        <CodeEditor language="yaml" label="Steps" value={text} onChange={setText} />
      )}
      {fault && (
        <p role="alert" className="mt-1 text-small break-words whitespace-pre-wrap text-bad-text">
          {fault}
        </p>
      )}
      {error && (
        <div className="mt-2">
          <ErrorNote error={error} />
        </div>
      )}
    </Dialog>
  );
}

const sample = [{ id: "double_check", agent: "NAME", needs: ["STEP"] }];

async function readSteps(text: string): Promise<{ steps: StepText[] } | { fault: string }> {
  const { parse } = await import("yaml");
  try {
    const read: unknown = parse(text);
    const steps = Array.isArray(read) ? read : (read as { steps?: unknown } | null)?.steps;
    if (Array.isArray(steps) && steps.length > 0) return { steps };
    return { fault: "No step found. Start each one with “- id:”." };
  } catch (problem) {
    return { fault: problem instanceof Error ? problem.message : String(problem) };
  }
}

interface FormProps {
  step: NewStep;
  faults: { name?: string; agent?: string };
  /** The ids of the steps it can follow. */
  others: string[];
  onChange: (change: Partial<NewStep>) => void;
  onRemove?: () => void;
}

function StepForm({ step, faults, others, onChange, onRemove }: FormProps) {
  const { data: agents } = useAgents();
  const box = useId();
  return (
    <fieldset aria-label={step.name || "New step"} className="rounded-sm border p-3">
      <div className="flex items-start gap-2">
        <div className="grid min-w-0 flex-1 gap-x-4 sm:grid-cols-2">
          <Field label="Name" error={faults.name} hint={step.name ? `In the plan: ${idOf(step.name)}` : undefined}>
            <Input value={step.name} onChange={(e) => onChange({ name: e.target.value })} maxLength={60} />
          </Field>
          <Field label="Who does it" error={faults.agent}>
            <Select
              value={step.agent}
              onValueChange={(agent) => onChange({ agent })}
              placeholder="Choose an agent"
              options={(agents?.items ?? []).map((a) => ({ value: a.name, label: format.title(a.name) }))}
            />
          </Field>
        </div>
        {onRemove && (
          <IconButton label="Leave this step out" onClick={onRemove}>
            <X />
          </IconButton>
        )}
      </div>
      {others.length > 0 && (
        <fieldset>
          <legend className="mb-1 text-small font-medium">After</legend>
          <div className="flex max-h-32 flex-wrap gap-x-4 gap-y-2 overflow-y-auto p-1">
            {others.map((id) => (
              <label key={id} htmlFor={`${box} ${id}`} className="flex min-h-6 items-center gap-2 text-control">
                <Checkbox
                  id={`${box} ${id}`}
                  checked={step.needs.includes(id)}
                  onCheckedChange={(on) =>
                    onChange({ needs: on ? [...step.needs, id] : step.needs.filter((need) => need !== id) })
                  }
                />
                {format.title(id)}
              </label>
            ))}
          </div>
          <p className="mt-1 text-small text-muted">
            {step.needs.length === 0 ? "It can start at once." : "It starts when these have ended."}
          </p>
        </fieldset>
      )}
    </fieldset>
  );
}
