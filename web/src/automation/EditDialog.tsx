import { useState } from "react";
import { type AutomationKind, useSaveAutomation } from "../api";
import { ApiError } from "../api/error";
import { Button, CodeEditor, Dialog, ErrorNote, Tabs, toast } from "../ui";
import { FaultList } from "../ui/FaultList";
import { ScheduleForm } from "./ScheduleForm";
import { TriggerForm } from "./TriggerForm";
import { readText, setText, templates } from "./text";

interface Props {
  kind: AutomationKind;
  /** What is edited; missing: a new one. */
  name?: string;
  yaml?: string;
  taken: readonly string[];
  onClose: () => void;
}

const words = {
  schedules: { key: "schedule", fresh: "New schedule", force: "It starts runs from now on, at the times you set." },
  triggers: { key: "trigger", fresh: "New trigger", force: "It starts a run for every delivery from now on." },
} as const;

/** A schedule or a trigger as a form and as YAML, over one text. Saving puts it in force. */
export function EditDialog({ kind, name, yaml, taken, onClose }: Props) {
  const [text, setWhole] = useState(() => yaml ?? templates[kind]());
  const save = useSaveAutomation();
  const word = words[kind];
  const value = readText(text);
  const called = String(value?.[word.key] ?? "").trim();
  const faults = save.error instanceof ApiError ? save.error.errors : [];
  const exists = !name && taken.includes(called);
  const other = !!name && !!value && called !== name;
  const nameFault = exists
    ? `There is a ${word.key} of this name: edit that one`
    : other
      ? `The name cannot be changed: ${name}`
      : undefined;
  const set = (path: string[], to: unknown) => setWhole((now) => setText(now, path, to));
  const Form = kind === "schedules" ? ScheduleForm : TriggerForm;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={name ? `Edit ${name}` : word.fresh}
      description={word.force}
      className="sm:top-[6vh] sm:max-h-[88vh] sm:w-[min(680px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={save.isPending}
            disabled={called === "" || !value || !!nameFault || text === yaml}
            onClick={() =>
              save.mutate(
                { kind, name: called, text },
                {
                  onSuccess: () => {
                    toast({ title: `${called} is in force`, tone: "ok" });
                    onClose();
                  },
                },
              )
            }
          >
            Save
          </Button>
        </>
      }
    >
      {faults.length > 0 && (
        <div role="alert" className="mb-3">
          <FaultList faults={faults} />
        </div>
      )}
      {save.error && faults.length === 0 && <ErrorNote error={save.error} />}
      <Tabs
        label={`Views of the ${word.key}`}
        className="-mx-4"
        tabs={[
          {
            value: "form",
            label: "Form",
            content: (
              <div className="px-4 pt-4">
                {value ? (
                  <Form value={value} fresh={!name} nameFault={nameFault} set={set} />
                ) : (
                  <p className="text-muted">The YAML can't be read. Fix it there first.</p>
                )}
              </div>
            ),
          },
          {
            value: "yaml",
            label: "YAML",
            content: (
              <div className="px-4 pt-4">
                <CodeEditor
                  language="yaml"
                  label={`The ${word.key} as YAML`}
                  value={text}
                  problems={faults}
                  onChange={setWhole}
                  className="max-h-[50vh] min-h-64"
                />
                {nameFault && (
                  <p role="alert" className="mt-1 text-small text-bad-text">
                    {nameFault}
                  </p>
                )}
              </div>
            ),
          },
        ]}
      />
    </Dialog>
  );
}
