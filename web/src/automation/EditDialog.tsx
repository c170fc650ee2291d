import { type AutomationKind, useSaveAutomation } from "../api";
import { DocumentDialog } from "../document/DocumentDialog";
import type { InForce } from "../document/useDraft";
import { ScheduleForm } from "./ScheduleForm";
import { TriggerForm } from "./TriggerForm";
import { order, templates } from "./text";

interface Props {
  kind: AutomationKind;
  /** The one that is edited; missing: a new one. */
  name?: string;
  inForce?: InForce;
  taken: readonly string[];
  onClose: () => void;
}

const words = {
  schedules: { what: "schedule", kind: "schedule", effect: "It starts runs from now on, at the times you set." },
  triggers: { what: "trigger", kind: "trigger", effect: "It starts a run for every delivery from now on." },
} as const;

/** A schedule or a trigger as a form and as YAML, over one text. */
export function EditDialog({ kind, name, inForce, taken, onClose }: Props) {
  const Form = kind === "schedules" ? ScheduleForm : TriggerForm;
  return (
    <DocumentDialog
      {...words[kind]}
      name={name}
      title={`Edit ${name}`}
      shown={(one) => one}
      inForce={inForce}
      taken={taken}
      template={templates[kind]()}
      order={order[kind]}
      save={useSaveAutomation(kind)}
      form={(props) => <Form {...props} />}
      onClose={onClose}
    />
  );
}
