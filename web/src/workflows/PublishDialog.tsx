import { useEffect, useState } from "react";
import { usePublish, useSaveVersion, useWorkflowDiff, useWorkflowVersion, useWorkflowVersions } from "../api";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { SkeletonRows } from "../ui/Skeleton";
import { Textarea } from "../ui/Textarea";
import { toast } from "../ui/Toasts";
import { Changes } from "./Changes";
import type { Editor } from "./useEditor";

/** Shows what changes for new runs, and publishes it with a note. */
export default function PublishDialog(props: {
  editor: Editor;
  /** An older version to return to; otherwise the text is saved as the next one. */
  restored?: number;
  onClose: () => void;
}) {
  const { editor, restored, onClose } = props;
  const [text] = useState(() => ({ yaml: editor.content.yaml }));
  const [note, setNote] = useState(restored ? `Restored version ${restored}` : "");
  const save = useSaveVersion(editor.name);
  const publish = usePublish(editor.name);
  const version = restored ?? save.data?.version;
  const versions = useWorkflowVersions(editor.name);
  const published = versions.data?.find((v) => v.published)?.version;
  const diff = useWorkflowDiff(editor.name, published, version);
  const before = useWorkflowVersion(editor.name, published);
  const after = useWorkflowVersion(editor.name, restored);
  const { mutate } = save;
  const { setBase } = editor;
  useEffect(() => {
    if (restored === undefined) mutate(text, { onSuccess: (saved) => setBase(saved.version) });
  }, [restored, mutate, text, setBase]);
  const unchanged = save.data?.published === true || (restored !== undefined && restored === published);
  // Nothing is published before what it removes could be read.
  const compared = versions.data !== undefined && (published === undefined || !diff.isPending);
  const done = async () => {
    if (version === undefined) return;
    try {
      await publish.mutateAsync({ version, note: note.trim() || undefined });
      toast({ title: `Version ${version} is published`, tone: "ok" });
      editor.say(`Version ${version} is published`);
      onClose();
    } catch {
      // Shown below.
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={version ? `Publish version ${version}` : "Publish"}
      description="New runs use it from then on. Runs that have started keep their version."
      className="sm:w-[min(640px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={publish.isPending}
            disabled={version === undefined || unchanged || !compared}
            onClick={() => void done()}
          >
            Publish
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {!compared && !versions.error && !save.error && <SkeletonRows rows={2} />}
        {save.error && <ErrorNote error={save.error} />}
        {versions.error && <ErrorNote error={versions.error} />}
        {!unchanged && diff.error && <ErrorNote error={diff.error} />}
        {unchanged && <p>This is already published. Comments and formatting are saved with it.</p>}
        {!unchanged && versions.data && published === undefined && <p>This is the first version that is published.</p>}
        {!unchanged && diff.data && (
          <Changes
            diff={diff.data}
            before={before.data?.yaml ?? ""}
            after={restored === undefined ? text.yaml : (after.data?.yaml ?? "")}
          />
        )}
        {!unchanged && version !== undefined && (
          <Field label="Note" hint="Why, for the audit log (optional)">
            <Textarea value={note} maxLength={1000} onChange={(e) => setNote(e.target.value)} />
          </Field>
        )}
        {publish.error && <ErrorNote error={publish.error} />}
      </div>
    </Dialog>
  );
}
