import { Pencil, Plus, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type AutomationKind, useMay, useSaveAutomation } from "../api";
import { switched } from "../api/automation";
import type { Raw } from "../json";
import { Button, ErrorNote } from "../ui";

const EditDialog = lazy(async () => ({ default: (await import("./EditDialog")).EditDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import("./DeleteDialog")).DeleteDialog }));

/** Creates a schedule or a trigger. */
export function NewButton({ kind, taken }: { kind: AutomationKind; taken: readonly string[] }) {
  const may = useMay();
  const [open, setOpen] = useState(false);
  if (!may("admin")) return null;
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        <Plus aria-hidden /> {kind === "schedules" ? "New schedule" : "New trigger"}
      </Button>
      <Suspense>{open && <EditDialog kind={kind} taken={taken} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

interface Props {
  kind: AutomationKind;
  name: string;
  yaml: string;
  definition: Raw | null;
  enabled: boolean;
}

/** Enables, disables, edits or deletes a schedule or a trigger. */
export function Acts({ kind, name, yaml, definition, enabled }: Props) {
  const may = useMay();
  const change = useSaveAutomation();
  const [open, setOpen] = useState<"edit" | "delete">();
  if (!may("admin")) return null;
  const verb = enabled ? "Disable" : "Enable";
  const close = () => setOpen(undefined);
  const turn = async () => {
    const { setText, readText } = await import("./text");
    const text = setText(yaml, ["enabled"], !enabled);
    const done = readText(text)?.enabled === !enabled;
    change.mutate(done ? { kind, name, text } : { kind, name, text: switched(definition, !enabled), json: true });
  };
  return (
    <>
      <Button size="small" aria-label={`${verb} ${name}`} loading={change.isPending} onClick={() => void turn()}>
        {verb}
      </Button>
      <Button size="small" aria-label={`Edit ${name}`} onClick={() => setOpen("edit")}>
        <Pencil aria-hidden /> Edit
      </Button>
      <Button size="small" look="danger-outlined" aria-label={`Delete ${name}`} onClick={() => setOpen("delete")}>
        <Trash2 aria-hidden /> Delete
      </Button>
      {change.error && (
        <div className="basis-full">
          <ErrorNote error={change.error} />
        </div>
      )}
      <Suspense>
        {open === "edit" && <EditDialog kind={kind} name={name} yaml={yaml} taken={[]} onClose={close} />}
        {open === "delete" && <DeleteDialog kind={kind} name={name} onClose={close} />}
      </Suspense>
    </>
  );
}
