import { useDeleteChannel } from "../api/channels";
import { Button, Dialog, ErrorNote, toast } from "../ui";

/** Asks before a channel is deleted. */
export function DeleteChannel({ name, onClose }: { name: string; onClose: () => void }) {
  const remove = useDeleteChannel();
  const send = () =>
    remove.mutate(
      { name },
      {
        onSuccess: () => {
          toast({ title: `The channel ${name} is deleted`, tone: "ok" });
          onClose();
        },
      },
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete the channel ${name}`}
      description="Messages that were not sent yet are not sent. Approvals stay in the inbox."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" loading={remove.isPending} onClick={send}>
            Delete
          </Button>
        </>
      }
    >
      {remove.error && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
