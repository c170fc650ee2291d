import { useMemo, useState } from "react";
import { useWorkflowVersion } from "../api";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { format } from "../words";
import { ChangesInWords } from "./ChangeBar";
import type { Content } from "./model/content";
import { differenceOf } from "./model/diff";
import { readFlow } from "./model/flow";

/** The version that the editor goes back to. */
export interface Kept {
  version: number;
  published: boolean;
}

/** Asks before a draft is discarded, and lists what is lost. */
export default function DiscardDialog(props: {
  name: string;
  content: Content;
  /** None: it was never saved as a version. */
  kept?: Kept;
  discard: () => Promise<void>;
  onDone: () => void;
  onClose: () => void;
}) {
  const { name, content, kept, discard, onDone, onClose } = props;
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const now = useMemo(() => readFlow(content.yaml).flow, [content.yaml]);
  const { data: old, isLoading } = useWorkflowVersion(name, kept?.version);
  const difference = useMemo(() => {
    const before = old && readFlow(old.yaml).flow;
    return before && now && differenceOf(before, now);
  }, [old, now]);
  const beside = [
    content.samples.length > 0 && format.plural(content.samples.length, "sample input"),
    Object.keys(content.layout).length > 0 && "the places of the steps on the canvas",
  ].filter((part) => part !== false);
  const go = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await discard();
      onDone();
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Discard the draft of ${format.title(name)}?`}
      description={
        kept
          ? `The editor goes back to version ${kept.version}, ${kept.published ? "which is published" : "the newest one that was saved"}. Versions and runs are kept.`
          : "It was never published or tested, so nothing of the workflow is left."
      }
      footer={
        <>
          <Button onClick={onClose}>Keep the draft</Button>
          <Button look="danger" loading={busy} disabled={isLoading} onClick={() => void go()}>
            Discard
          </Button>
        </>
      }
    >
      <div className="space-y-3 text-control">
        {difference && (
          <section aria-label="Changes that are lost" className="flex flex-wrap items-center gap-x-4 gap-y-1">
            <h3 className="w-full font-medium">Changes since version {kept?.version} that are lost</h3>
            {now && <ChangesInWords flow={now} difference={difference} />}
          </section>
        )}
        {!kept && now && (
          <p>
            Lost: {format.plural(now.steps.length, "step")}
            {now.gates.length > 0 && ` and ${format.plural(now.gates.length, "approval")}`}.
          </p>
        )}
        {beside.length > 0 && <p>Also lost with the draft: {beside.join(" and ")}.</p>}
        {failure !== undefined && <ErrorNote error={failure} />}
      </div>
    </Dialog>
  );
}
