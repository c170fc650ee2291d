import { Pencil, Plus, Trash2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type AutomationKind, useMay, useSaveAutomation } from "../api";
import { switched } from "../api/automation";
import type { InForce } from "../document/useDraft";
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
  one: InForce & { name: string; enabled: boolean };
  onEdit: () => void;
}

/** Enables, disables, edits or deletes a schedule or a trigger. */
export function Acts({ kind, one, onEdit }: Props) {
  const { name, yaml, definition, enabled, version: over } = one;
  const may = useMay();
  const change = useSaveAutomation(kind);
  const [deleting, setDeleting] = useState(false);
  if (!may("admin")) return null;
  const verb = enabled ? "Disable" : "Enable";
  const turn = async () => {
    const [{ setText, readText }, { order }] = await Promise.all([import("../document/text"), import("./text")]);
    const text = setText(yaml, ["enabled"], !enabled, order[kind]);
    const done = readText(text)?.enabled === !enabled;
    change.mutate(done ? { name, text, over } : { name, text: switched(definition, !enabled), json: true, over });
  };
  return (
    <>
      <Button size="small" aria-label={`${verb} ${name}`} loading={change.isPending} onClick={() => void turn()}>
        {verb}
      </Button>
      <Button size="small" aria-label={`Edit ${name}`} onClick={onEdit}>
        <Pencil aria-hidden /> Edit
      </Button>
      <Button size="small" look="danger-outlined" aria-label={`Delete ${name}`} onClick={() => setDeleting(true)}>
        <Trash2 aria-hidden /> Delete
      </Button>
      {change.error && (
        <div className="basis-full">
          <ErrorNote error={change.error} />
        </div>
      )}
      <Suspense>{deleting && <DeleteDialog kind={kind} name={name} onClose={() => setDeleting(false)} />}</Suspense>
    </>
  );
}

/** The dialog of the one that is edited. It stays open if that is deleted in the meantime. */
export function Editing({ kind, name, items, onClose }: EditingProps) {
  const one = items.find((item) => item.name === name);
  return (
    <Suspense>{name && <EditDialog kind={kind} name={name} inForce={one} taken={[]} onClose={onClose} />}</Suspense>
  );
}

interface EditingProps {
  kind: AutomationKind;
  name?: string;
  items: readonly (InForce & { name: string })[];
  onClose: () => void;
}
