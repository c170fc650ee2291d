import { useMemo, useState } from "react";
import { useForkRun, useRunEvents } from "../api";
import type { Event, Run } from "../api/types";
import { pretty, type Raw, raw, same, treeOf } from "../json";
import { Link, useNavigate } from "../router";
import { Button } from "../ui/Button";
import { CodeEditor } from "../ui/CodeEditor";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { Select } from "../ui/Select";
import { toast } from "../ui/Toasts";
import { format } from "../words";
import { ForkRefused } from "./ForkRefused";
import { momentsOf } from "./moments";

const noEvents: Event[] = [];

/** A new run with the history of this one, with optional changes. */
export function ForkDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const navigate = useNavigate();
  const fork = useForkRun(run.id);
  const { data: events = noEvents } = useRunEvents(run.id);
  const [newest] = useState(run.seq); // the list does not change while it is being read
  const [seq, setSeq] = useState(String(newest));
  const moments = useMemo(() => momentsOf(events, newest), [events, newest]);
  const [edited, setEdited] = useState<Record<string, string>>({});
  const [what, setWhat] = useState("");
  const done = run.steps.filter((s) => s.status === "done");
  const original = (key: string): Raw | null =>
    key === "input" ? run.input : (done.find((s) => `output ${s.id}` === key)?.output ?? null);
  const { edits, fault } = editsOf(edited, original);
  const send = (at: number) =>
    fork.mutate(
      { at_seq: at, edits },
      {
        onSuccess: (made) => {
          toast({ title: "A new run continues from there", tone: "ok" });
          onClose();
          void navigate({ to: "/runs/$id", params: { id: made.id } });
        },
      },
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Fork this run"
      description="A new run starts with the history of this one: recorded results are reused, and pending decisions are asked again. This run is not changed."
      className="sm:w-[min(680px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="filled" loading={fork.isPending} disabled={!!fault} onClick={() => send(Number(seq))}>
            {edits ? "Fork with changes" : "Fork"}
          </Button>
        </>
      }
    >
      <Field
        label="From which moment?"
        hint={
          <>
            What happened until then is the new run's past.{" "}
            <Link to="/runs/$id/replay" params={{ id: run.id }} className="text-accent-text underline">
              {moments.older ? "Earlier moments are in the replay." : "The replay shows each of them."}
            </Link>
          </>
        }
        className="mb-3"
      >
        <Select value={seq} onValueChange={setSeq} options={moments.options} className="w-full" />
      </Field>
      <Field
        label="Change about the past"
        hint="Optional. Several can be changed, one after the other."
        className={what ? "mb-2" : undefined}
      >
        <Select
          value={what}
          onValueChange={setWhat}
          options={[
            { value: "", label: "Nothing" },
            { value: "input", label: "The run's input" },
            ...done.map((s) => ({ value: `output ${s.id}`, label: `Output of ${format.title(s.id)}` })),
          ]}
          className="w-full"
        />
      </Field>
      {what && (
        <CodeEditor
          key={what}
          language="json"
          label="Changed value"
          value={edited[what] ?? pretty(treeOf(original(what)))}
          onChange={(text) => setEdited((now) => ({ ...now, [what]: text }))}
        />
      )}
      {fault && (
        <p role="alert" className="mt-1 text-small text-bad-text">
          {fault}
        </p>
      )}
      {fork.error && (
        <div className="mt-2">
          <ForkRefused error={fork.error} onFork={send} />
        </div>
      )}
    </Dialog>
  );
}

interface Edits {
  input?: Raw;
  outputs?: Record<string, Raw>;
}

/** The edits of a fork, from texts by "input" and "output STEP"; unchanged ones are left out. */
export function editsOf(
  edited: Record<string, string>,
  original: (key: string) => Raw | null,
): { edits?: Edits; fault?: string } {
  const edits: Edits = {};
  for (const [key, text] of Object.entries(edited)) {
    let value: Raw;
    try {
      value = raw(text);
    } catch {
      const name = key === "input" ? "The input" : `The output of ${format.title(key.slice("output ".length))}`;
      return { fault: `${name} is not JSON yet.` };
    }
    if (same(treeOf(value), treeOf(original(key)))) continue;
    if (key === "input") edits.input = value;
    else edits.outputs = { ...edits.outputs, [key.slice("output ".length)]: value };
  }
  return edits.input || edits.outputs ? { edits } : {};
}
