import { type ReactNode, useState } from "react";
import { useComment } from "../api/approvals";
import type { Approval } from "../api/types";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Kbd } from "../ui/Kbd";
import { Textarea } from "../ui/Textarea";
import { onReject } from "../words";
import { titleText } from "./gist";
import { forgetKept, useKept } from "./kept";

// Loaded when one of them is opened.

interface WordsProps {
  title: string;
  description: ReactNode;
  label: string;
  hint?: string;
  missing: string;
  /** The text is kept under this name. */
  keep: string;
  button: string;
  look: "danger" | "filled";
  busy?: boolean;
  error?: Error | null;
  onSend: (text: string) => void;
  onClose: () => void;
}

/** Asks for a text and sends it. */
function WordsDialog({
  title,
  description,
  label,
  hint,
  missing,
  keep,
  button,
  look,
  busy,
  error,
  onSend,
  onClose,
}: WordsProps) {
  const [text, setText] = useKept(keep);
  const [tried, setTried] = useState(false);
  const send = () => {
    setTried(true);
    if (text.trim() !== "" && !busy) onSend(text.trim());
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} loading={busy} onClick={send}>
            {button} <Kbd keys="mod+enter" />
          </Button>
        </>
      }
    >
      {error && <ErrorNote error={error} />}
      <Field label={label} hint={hint} error={tried && text.trim() === "" ? missing : undefined}>
        <Textarea
          autoFocus
          dir="auto"
          value={text}
          onChange={(e) => setText(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              send();
            }
          }}
        />
      </Field>
    </Dialog>
  );
}

export function RejectDialog({
  approval,
  onReject: send,
  onClose,
}: {
  approval: Approval;
  onReject: (why: string) => void;
  onClose: () => void;
}) {
  const then =
    approval.if_denied || (approval.on_reject ? `If you reject, ${onReject[approval.on_reject].sentence}.` : "");
  return (
    <WordsDialog
      title="Reject"
      description={`“${titleText(approval)}”. ${then}`}
      label="Why"
      hint="Saved with the decision. If the agent tries again, it sees this."
      keep={`reject ${approval.id}`} // until it is settled: a rejection can be undone, or come too late
      missing="Enter a reason."
      button="Reject"
      look="danger"
      onSend={send}
      onClose={onClose}
    />
  );
}

export function CommentDialog({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const comment = useComment(approval.id);
  const keep = `comment ${approval.id}`;
  return (
    <WordsDialog
      title="Comment"
      description={`On “${titleText(approval)}”. It decides nothing, and no agent reads it.`}
      label="Comment"
      keep={keep}
      missing="Write something first."
      button="Comment"
      look="filled"
      busy={comment.isPending}
      error={comment.error}
      onSend={(text) =>
        comment.mutateAsync({ text }).then(
          () => {
            forgetKept(keep);
            onClose();
          },
          () => {}, // shown from comment.error
        )
      }
      onClose={onClose}
    />
  );
}
