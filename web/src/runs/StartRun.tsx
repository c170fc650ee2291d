import { useMemo, useState } from "react";
import { useStartRun, useWorkflows } from "../api";
import { ApiError } from "../api/error";
import type { Document } from "../api/types";
import { check, type Faults, faultsOf } from "../decide/check";
import { SchemaForm } from "../decide/form/SchemaForm";
import { prefilled, type Schema } from "../decide/schema";
import { compact, plain, pretty, raw, type Tree, treeOf } from "../json";
import { useNavigate } from "../router";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { CodeEditor } from "../ui/CodeEditor";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Select } from "../ui/Select";
import { Skeleton } from "../ui/Skeleton";
import { toast } from "../ui/Toasts";
import { format } from "../words";

const none: Faults = new Map();

/** Starts a run: the workflow, its input, and whether it is real or a test. */
export function StartRun({ first, onClose }: { first?: string; onClose: () => void }) {
  const { data: workflows, error } = useWorkflows();
  const [name, setName] = useState(first ?? "");
  const items = workflows?.items ?? [];
  const workflow = items.find((w) => w.name === name) ?? (items.length === 1 ? items[0] : undefined);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Start a run"
      className="sm:w-[min(640px,calc(100vw-32px))]"
    >
      {error && <ErrorNote error={error} />}
      {!workflows && !error && <Skeleton className="h-24" />}
      {workflows && items.length === 0 && (
        <p className="text-muted">
          There is no workflow yet. Put one into a folder and start the server with <code>--load FOLDER</code>.
        </p>
      )}
      {items.length > 0 && (
        <Field label="Workflow" hint={workflow ? descriptionOf(workflow) : "Choose a workflow."}>
          <Select
            value={workflow?.name ?? ""}
            onValueChange={setName}
            placeholder="Choose a workflow"
            options={items.map((w) => ({ value: w.name, label: format.title(w.name) }))}
            className="w-full"
          />
        </Field>
      )}
      {workflow && <StartForm key={workflow.name} workflow={workflow} onClose={onClose} />}
    </Dialog>
  );
}

function descriptionOf(workflow: Document): string {
  return plain<{ description?: string }>(workflow.definition)?.description ?? "";
}

/** "team: claims, client=Nordlys" → labels; a label without a value is an error. */
export function labelsOf(text: string): { labels?: Record<string, string>; fault?: string } {
  const out: Record<string, string> = {};
  for (const part of text
    .split(",")
    .map((p) => p.trim())
    .filter(Boolean)) {
    const [, name, value] = /^([^:=]+)[:=](.+)$/.exec(part) ?? [];
    if (!name || !value) return { fault: `“${part}” has no value. Write name:value.` };
    out[name.trim()] = value.trim();
  }
  return Object.keys(out).length > 0 ? { labels: out } : {};
}

function StartForm({ workflow, onClose }: { workflow: Document; onClose: () => void }) {
  const navigate = useNavigate();
  const start = useStartRun();
  const schema = useMemo(() => plain<{ input?: Schema }>(workflow.definition)?.input, [workflow]);
  const [tree, setTree] = useState<Tree>(() => prefilled({ kind: "object", members: [] }, schema ?? {}));
  const [text, setText] = useState<string>();
  const [test, setTest] = useState(false);
  const [labelText, setLabelText] = useState("");
  const [tried, setTried] = useState(false);
  // JSON fields whose text is currently invalid, by JSON pointer.
  const [broken, setBroken] = useState<Faults>(new Map());
  const json = text !== undefined || !schema;
  const parsed = json ? read(text ?? pretty(tree)) : { tree };
  const { labels, fault: labelFault } = labelsOf(labelText);
  const told = start.error instanceof ApiError ? faultsOf(start.error.errors) : undefined;
  const checked = parsed.tree && schema ? check(parsed.tree, schema) : new Map<string, string>();
  const local = new Map([...checked, ...(json ? [] : broken)]);
  const faults: Faults = new Map([...(told ?? []), ...local]);

  const send = () => {
    setTried(true);
    if (!parsed.tree || local.size > 0 || labelFault) return;
    start.mutate(
      { workflow: workflow.name, input: raw(compact(parsed.tree)), labels, test_mode: test || undefined },
      {
        onSuccess: (run) => {
          toast({ title: test ? "The rehearsal has begun" : "The run has begun", tone: "ok" });
          onClose();
          void navigate({ to: "/runs/$id", params: { id: run.id } });
        },
      },
    );
  };
  return (
    <form
      className="space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="flex items-center">
        <h3 className="flex-1 text-control font-semibold">Input</h3>
        {schema && (
          <Button
            look="ghost"
            size="small"
            disabled={json && !parsed.tree}
            onClick={() => {
              if (json && parsed.tree) setTree(parsed.tree);
              setText(json ? undefined : pretty(tree));
            }}
          >
            {json ? "As a form" : "As JSON"}
          </Button>
        )}
      </div>
      {json ? (
        <>
          <CodeEditor language="json" label="Input as JSON" value={text ?? pretty(tree)} onChange={setText} />
          <JsonFaults fault={parsed.fault} faults={tried ? faults : none} />
        </>
      ) : (
        schema && (
          <SchemaForm
            tree={tree}
            schema={schema}
            faults={faults}
            onChange={setTree}
            onBroken={(pointer, message) =>
              setBroken((now) => {
                const next = new Map(now);
                if (message === undefined) next.delete(pointer);
                else next.set(pointer, message);
                return next;
              })
            }
            disabled={start.isPending}
          />
        )
      )}
      <Field label="Labels" hint="Optional, to find it by: team:claims, client:Nordlys" error={labelFault}>
        <Input value={labelText} onChange={(e) => setLabelText(e.target.value)} />
      </Field>
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is inside */}
      <label className="flex min-h-(--tap) items-center gap-2">
        <Checkbox checked={test} onCheckedChange={setTest} />
        <span>
          Only rehearse it <span className="text-muted">(what has consequences is not called, samples stand in)</span>
        </span>
      </label>
      {start.error && <ErrorNote error={start.error} />}
      {tried && local.size > 0 && (
        <p role="alert" className="text-small text-bad-text">
          {format.plural(local.size, "field needs", "fields need")} another look.
        </p>
      )}
      <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 flex justify-end gap-2 rounded-b-lg border-t bg-raised px-4 py-3">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="filled" loading={start.isPending} disabled={json && !parsed.tree}>
          {test ? "Rehearse" : "Start"}
        </Button>
      </div>
    </form>
  );
}

function read(text: string): { tree?: Tree; fault?: string } {
  try {
    return { tree: treeOf(raw(text)) };
  } catch {
    return { fault: "Not valid JSON yet." };
  }
}

function JsonFaults({ fault, faults }: { fault?: string; faults: Faults }) {
  if (!fault && faults.size === 0) return null;
  return (
    <ul aria-live="polite" className="text-small text-bad-text">
      {fault && <li>{fault}</li>}
      {[...faults].map(([path, message]) => (
        <li key={path}>
          <code>{path || "everything"}</code> {message}
        </li>
      ))}
    </ul>
  );
}
