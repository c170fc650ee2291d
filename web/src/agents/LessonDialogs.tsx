import { useState } from "react";
import { type Lesson, useCorrectLesson } from "../api/agents";
import { ApiError } from "../api/error";
import { Button, Dialog, ErrorNote, Field, Textarea, toast } from "../ui";
import { Visible } from "../ui/Visible";

interface Editing {
  lesson: Lesson;
  /** The lesson as it was when the dialog opened. */
  opened: Lesson;
  onClose: () => void;
}

/** The version to replace: the one that the dialog opened with, until a conflict was reported and is shown. */
const versionSeen = (lesson: Lesson, opened: Lesson, error: unknown): number =>
  error instanceof ApiError && error.code === "version_mismatch" ? lesson.version : opened.version;

/** Whether someone else removed it while the dialog was open. */
const removedSince = ({ lesson, opened }: Omit<Editing, "onClose">): boolean =>
  lesson.version !== opened.version && lesson.correction?.removed === true;

/** What someone else did to the lesson while the dialog was open, and what saving does then. */
function Overtaken({ lesson, opened, consequence }: Omit<Editing, "onClose"> & { consequence: string }) {
  if (lesson.version === opened.version) return null;
  const { correction } = lesson;
  const removed = correction?.removed === true;
  const told = removed ? correction.reason : correction?.text;
  return (
    <p role="alert" className="mt-3 rounded-md bg-warn-bg px-3 py-2 break-words text-warn-text">
      {correction ? (
        <>
          <Visible text={correction.by} /> {removed ? "removed" : "corrected"} this lesson in the meantime
          {told ? (
            <>
              : “<Visible text={told} />”
            </>
          ) : (
            "."
          )}
        </>
      ) : (
        "Someone else restored this lesson in the meantime."
      )}{" "}
      {consequence}
    </p>
  );
}

/** An error, unless it is the conflict that is shown already. */
function Failure({ error, shown }: { error: Error | null; shown: boolean }) {
  const conflict = error instanceof ApiError && error.code === "version_mismatch";
  return error && !(conflict && shown) ? <ErrorNote error={error} /> : null;
}

/** What agents are told about a decision; the decision itself stays. */
export function CorrectDialog({ lesson, opened, onClose }: Editing) {
  const correct = useCorrectLesson();
  const [text, setText] = useState(opened.correction?.text || opened.comment);
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
                {
                  id: lesson.id,
                  version: versionSeen(lesson, opened, correct.error),
                  text: text.trim() === lesson.comment ? "" : text.trim(),
                },
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
      <Failure error={correct.error} shown={lesson.version !== opened.version} />
      <Overtaken
        lesson={lesson}
        opened={opened}
        consequence={
          removedSince({ lesson, opened })
            ? "If you save, agents receive it again, with your explanation."
            : "Yours replaces it."
        }
      />
    </Dialog>
  );
}

export function RemoveDialog({ lesson, opened, onClose }: Editing) {
  const correct = useCorrectLesson();
  const removed = removedSince({ lesson, opened });
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
            disabled={reason.trim() === "" || removed}
            onClick={() =>
              correct.mutate(
                {
                  id: lesson.id,
                  version: versionSeen(lesson, opened, correct.error),
                  text: lesson.correction?.text,
                  removed: true,
                  reason: reason.trim(),
                },
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
      <Failure error={correct.error} shown={lesson.version !== opened.version} />
      <Overtaken
        lesson={lesson}
        opened={opened}
        consequence={removed ? "There is nothing left to remove." : "Removing it also removes that."}
      />
    </Dialog>
  );
}
