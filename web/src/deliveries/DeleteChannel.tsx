import { useDeleteChannel } from "../api/channels";
import { ApiError } from "../api/error";
import { Button, Dialog, ErrorNote, toast } from "../ui";

interface Props {
  name: string;
  /** It is no longer in force. */
  gone: boolean;
  onClose: () => void;
}

/** Asks before a channel is deleted. */
export function DeleteChannel({ name, gone, onClose }: Props) {
  const remove = useDeleteChannel();
  // One's own deletion is often heard of before the answer.
  const sent = remove.isPending || remove.isSuccess;
  const late = (gone && !sent) || (remove.error instanceof ApiError && remove.error.code === "not_found");
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
      description={late ? undefined : "Messages that were not sent yet are not sent. Approvals stay in the inbox."}
      footer={
        late ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button look="danger" loading={remove.isPending} onClick={send}>
              Delete
            </Button>
          </>
        )
      }
    >
      {late && <p role="alert">This channel has already been deleted.</p>}
      {remove.error && !late && <ErrorNote error={remove.error} />}
    </Dialog>
  );
}
