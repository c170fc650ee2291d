import { useState } from "react";
import { type Lesson, useCorrectLesson } from "../api/agents";
import { Button, Dialog, ErrorNote, Field, Textarea, toast } from "../ui";

/** What agents are told about a decision; the decision itself stays. */
export function CorrectDialog({ lesson, onClose }: { lesson: Lesson; onClose: () => void }) {
  const correct = useCorrectLesson();
  const [text, setText] = useState(lesson.correction?.text || lesson.comment);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Correct the lesson"
      description="Agents receive your explanation with the next similar task. The decision and its comment are not changed."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={correct.isPending}
            disabled={text.trim() === ""}
            onClick={() =>
              correct.mutate(
                { id: lesson.id, text: text.trim() === lesson.comment ? "" : text.trim() },
                {
                  onSuccess: () => {
                    toast({ title: "Lesson corrected", tone: "ok" });
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
      <Field label="Explanation for agents" hint="Recorded in the audit log with your name.">
        <Textarea rows={4} value={text} autoFocus onChange={(e) => setText(e.target.value)} />
      </Field>
      {correct.error && <ErrorNote error={correct.error} />}
    </Dialog>
  );
}

export function RemoveDialog({ lesson, onClose }: { lesson: Lesson; onClose: () => void }) {
  const correct = useCorrectLesson();
  const [reason, setReason] = useState("");
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Remove the lesson"
      description="Agents no longer receive it, and exports leave it out. You can restore it."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            loading={correct.isPending}
            disabled={reason.trim() === ""}
            onClick={() =>
              correct.mutate(
                { id: lesson.id, text: lesson.correction?.text, removed: true, reason: reason.trim() },
                {
                  onSuccess: () => {
                    toast({ title: "Lesson removed", tone: "ok" });
                    onClose();
                  },
                },
              )
            }
          >
            Remove
          </Button>
        </>
      }
    >
      <Field label="Reason" hint="Recorded in the audit log with your name.">
        <Textarea rows={2} value={reason} autoFocus onChange={(e) => setReason(e.target.value)} />
      </Field>
      {correct.error && <ErrorNote error={correct.error} />}
    </Dialog>
  );
}
