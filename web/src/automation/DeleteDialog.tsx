import { type AutomationKind, useDeleteAutomation } from "../api";
import { Button, Dialog, ErrorNote, toast } from "../ui";

const words = {
  schedules: { what: "schedule", after: "It starts no more runs." },
  triggers: { what: "trigger", after: "Deliveries to its address are refused." },
} as const;

/** Asks before a schedule or a trigger is deleted. */
export function DeleteDialog({ kind, name, onClose }: { kind: AutomationKind; name: string; onClose: () => void }) {
  const remove = useDeleteAutomation();
  const { what, after } = words[kind];
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete the ${what} ${name}`}
      description={`${after} Runs that it has started continue, and its versions are kept.`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            loading={remove.isPending}
            onClick={() =>
              remove.mutate(
                { kind, name },
                {
                  onSuccess: () => {
                    toast({ title: `The ${what} ${name} is deleted`, tone: "ok" });
                    onClose();
                  },
                },
              )
            }
          >
            Delete
          </Button>
        </>
      }
    >
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
