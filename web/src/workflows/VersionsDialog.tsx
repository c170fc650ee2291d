import { useState } from "react";
import { getWorkflowVersion, usePublishNotes, useWorkflowDiff, useWorkflowVersion, useWorkflowVersions } from "../api";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Select } from "../ui/Select";
import { SkeletonRows } from "../ui/Skeleton";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { author } from "../words/author";
import { Changes } from "./Changes";
import PublishDialog from "./PublishDialog";
import type { Editor } from "./useEditor";

/** All versions, what each changed, and the way back to one. */
export default function VersionsDialog({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const versions = useWorkflowVersions(editor.name);
  const [chosen, setChosen] = useState<number>();
  const [against, setAgainst] = useState<number>();
  const { data: notes } = usePublishNotes(editor.name);
  const [restoring, setRestoring] = useState(false);
  const list = versions.data ?? [];
  const shown = chosen ?? list[0]?.version;
  // New runs use the published one: that is what another version would take the place of.
  const published = list.find((v) => v.published)?.version;
  const previous = list.find((v) => v.version < (shown ?? 0))?.version;
  const byDefault = published === undefined || published === shown ? previous : published;
  const others = list.filter((v) => v.version !== shown);
  const compare = against !== undefined && against !== shown ? against : byDefault;
  const diff = useWorkflowDiff(editor.name, compare, compare === undefined ? undefined : shown);
  const before = useWorkflowVersion(editor.name, compare);
  const after = useWorkflowVersion(editor.name, shown);
  const mayWrite = editor.editable || editor.error !== undefined;
  const edit = async (n: number) => {
    const version = await getWorkflowVersion(editor.name, n);
    editor.set({ yaml: version.yaml }, `Go back to version ${n}`);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Versions"
      className="sm:w-[min(960px,calc(100vw-32px))]"
    >
      {versions.isPending && <SkeletonRows rows={3} />}
      {versions.data && list.length === 0 && (
        <p className="text-muted">None yet. A test or publishing saves the first one.</p>
      )}
      {versions.error && <ErrorNote error={versions.error} />}
      <div className="grid gap-4 sm:grid-cols-[240px_1fr]">
        <ul aria-label="Versions" className="max-h-72 space-y-1 overflow-y-auto sm:max-h-[50vh]">
          {list.map((v) => (
            <li key={v.version}>
              <button
                type="button"
                aria-pressed={v.version === shown}
                onClick={() => {
                  setChosen(v.version);
                  setAgainst(undefined); // compared with the published one again
                }}
                className={cn(
                  "w-full rounded-sm border px-3 py-2 text-left hover:bg-hover",
                  v.version === shown && "border-accent bg-accent-bg",
                )}
              >
                <span className="flex items-center gap-2">
                  <span className="font-medium">Version {v.version}</span>
                  {v.published && <Badge tone="ok">Published</Badge>}
                </span>
                <span className="text-small text-muted">
                  <Visible text={author(v.by)} /> · <Time at={v.at} />
                </span>
                {notes?.get(v.version) && (
                  <span className="mt-0.5 block text-small break-words">
                    <Visible text={notes.get(v.version) ?? ""} />
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
        {shown !== undefined && (
          <section aria-label={`Version ${shown}`} className="min-w-0 space-y-3">
            {others.length > 0 && (
              <div className="flex flex-wrap items-center gap-2 text-control">
                <span>Version {shown} compared with</span>
                <Select
                  label="Compared with"
                  value={compare === undefined ? "" : String(compare)}
                  placeholder="Choose a version"
                  onValueChange={(v) => setAgainst(Number(v))}
                  options={others.map((v) => ({
                    value: String(v.version),
                    label: `Version ${v.version}${v.published ? " (published)" : ""}`,
                  }))}
                />
              </div>
            )}
            {compare === undefined ? (
              <p className="text-muted">
                {others.length > 0 ? "Choose a version to compare with." : "The first version."}
              </p>
            ) : (
              <>
                {diff.error && <ErrorNote error={diff.error} />}
                {diff.data && (
                  <Changes diff={diff.data} before={before.data?.yaml ?? ""} after={after.data?.yaml ?? ""} />
                )}
              </>
            )}
            {mayWrite && (
              <div className="flex flex-wrap gap-2">
                <Button size="small" onClick={() => void edit(shown)}>
                  Edit from here
                </Button>
                {shown !== published && (
                  <Button size="small" onClick={() => setRestoring(true)}>
                    Publish this version…
                  </Button>
                )}
              </div>
            )}
          </section>
        )}
      </div>
      {restoring && <PublishDialog editor={editor} restored={shown} onClose={() => setRestoring(false)} />}
    </Dialog>
  );
}
