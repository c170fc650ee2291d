import { useQuery } from "@tanstack/react-query";
import { GitFork, Pencil, Undo2 } from "lucide-react";
import { useState } from "react";
import { runStateQuery, useForkRun } from "../api";
import type { Fork, Run } from "../api/types";
import { useNavigate } from "../router";
import { ForkRefused } from "../run/ForkRefused";
import { Button, Dialog, ErrorNote, Select, Skeleton, toast } from "../ui";
import { CodeEditor } from "../ui/CodeEditor";
import { format } from "../words";
import { type Drafts, editsOf, textOfValue } from "./edits";

/** Starts a new run with the history of this one, with optional changes. */
export function ForkDialog({ id, at, onClose }: { id: string; at: number; onClose: () => void }) {
  // Large values in full: an edit needs all of them.
  const { data: state, error } = useQuery(runStateQuery(id, at, true));
  const fork = useForkRun(id);
  const navigate = useNavigate();
  const [drafts, setDrafts] = useState<Drafts>({ outputs: {} });
  const [attempt, setAttempt] = useState<{ text: string; fork: Fork }>();
  const made = state ? editsOf(drafts, state) : undefined;
  const wrong = Object.keys(made?.errors ?? {}).length > 0;

  const send = (from: number) => {
    if (!made || wrong) return;
    const next: Fork = { at_seq: from, edits: made.edits };
    const text = JSON.stringify(next);
    // The same fork again is the same attempt: retrying after a lost response creates no second run.
    const body = attempt?.text === text && fork.isError ? attempt.fork : next;
    setAttempt({ text, fork: body });
    fork.mutate(body, {
      onSuccess: (run) => {
        toast({ tone: "ok", title: "Forked", detail: `The new run continues after event ${format.count(from)}.` });
        onClose();
        void navigate({ to: "/runs/$id", params: { id: run.id } });
      },
    });
  };

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Fork after event ${format.count(at)}`}
      description="A new run starts from the state at this point. Results recorded by then are reused, and pending decisions are asked again. This run is not changed."
      className="sm:w-[min(720px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button look="filled" disabled={!state || wrong} loading={fork.isPending} onClick={() => send(at)}>
            <GitFork aria-hidden />
            {made && made.count > 0 ? `Fork with ${format.plural(made.count, "change")}` : "Fork as it was"}
          </Button>
        </>
      }
    >
      {error && <ErrorNote error={error} />}
      {!state && !error && <Skeleton className="h-24" />}
      {state && <Parts state={state} drafts={drafts} errors={made?.errors ?? {}} onChange={setDrafts} />}
      {fork.error && (
        <div className="mt-3">
          <ForkRefused error={fork.error} onFork={send} />
        </div>
      )}
    </Dialog>
  );
}

interface PartsProps {
  state: Run;
  drafts: Drafts;
  errors: Record<string, string>;
  onChange: (drafts: Drafts) => void;
}

function Parts({ state, drafts, errors, onChange }: PartsProps) {
  const output = (step: string, text: string | undefined) => {
    const { [step]: _, ...rest } = drafts.outputs;
    onChange({ ...drafts, outputs: text === undefined ? rest : { ...rest, [step]: text } });
  };
  const free = state.steps.filter((s) => s.status === "done" && drafts.outputs[s.id] === undefined);
  return (
    <div className="space-y-3">
      <Part
        title="Input"
        hint="Replaces the original."
        text={drafts.input}
        error={errors.input}
        onOpen={() => onChange({ ...drafts, input: textOfValue(state.input) })}
        onClose={() => onChange({ ...drafts, input: undefined })}
        onChange={(input) => onChange({ ...drafts, input })}
      />
      <Part
        title="Context"
        hint="Later steps see your changes."
        text={drafts.context}
        error={errors.context}
        onOpen={() => onChange({ ...drafts, context: textOfValue(state.context) })}
        onClose={() => onChange({ ...drafts, context: undefined })}
        onChange={(context) => onChange({ ...drafts, context })}
      />
      {Object.entries(drafts.outputs).map(([step, text]) => (
        <Part
          key={step}
          title={`Output of ${format.title(step)}`}
          hint="Replaces the original."
          text={text}
          error={errors[step]}
          onOpen={() => undefined}
          onClose={() => output(step, undefined)}
          onChange={(next) => output(step, next)}
        />
      ))}
      {free.length > 0 && (
        <Select
          label="Change the output of a step"
          value=""
          onValueChange={(step) => {
            const found = state.steps.find((s) => s.id === step);
            if (found) output(step, textOfValue(found.output));
          }}
          options={[
            { value: "", label: "Change the output of a step …" },
            ...free.map((s) => ({ value: s.id, label: format.title(s.id) })),
          ]}
        />
      )}
    </div>
  );
}

interface PartProps {
  title: string;
  hint: string;
  text: string | undefined;
  error: string | undefined;
  onOpen: () => void;
  onClose: () => void;
  onChange: (text: string) => void;
}

function Part({ title, hint, text, error, onOpen, onClose, onChange }: PartProps) {
  return (
    <section className="rounded-sm border">
      <header className="flex min-h-10 flex-wrap items-center gap-x-2 px-3 py-1">
        <h3 className="text-control font-semibold">{title}</h3>
        <p className="min-w-0 flex-1 text-small text-muted">{text === undefined ? "As it was." : hint}</p>
        {text === undefined ? (
          <Button size="small" aria-label={`Change: ${title}`} onClick={onOpen}>
            <Pencil aria-hidden />
            Change
          </Button>
        ) : (
          <Button size="small" aria-label={`Leave as it was: ${title}`} onClick={onClose}>
            <Undo2 aria-hidden />
            Leave as it was
          </Button>
        )}
      </header>
      {text !== undefined && (
        <div className="border-t p-2">
          <CodeEditor value={text} onChange={onChange} language="json" label={`${title} as JSON`} />
          <p aria-live="polite" className="min-h-4 pt-1 text-small text-bad-text">
            {error}
          </p>
        </div>
      )}
    </section>
  );
}
