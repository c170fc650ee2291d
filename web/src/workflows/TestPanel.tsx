import { Hand, Play, Plus, Trash2 } from "lucide-react";
import { useEffect } from "react";
import { useApprovals, useRun, useSaveVersion, useStartRun } from "../api";
import { useOpenBelow } from "../api/below";
import type { Approval, Run } from "../api/types";
import { raw } from "../json";
import { Pending } from "../pending/Pending";
import { Link } from "../router";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { CodeEditor } from "../ui/CodeEditor";
import { ErrorNote } from "../ui/ErrorNote";
import { JsonView } from "../ui/JsonView";
import { keepFocus } from "../ui/returnFocus";
import { Select } from "../ui/Select";
import { format, runStatus, stepStatus } from "../words";
import { fieldsOf } from "./model/catalog";
import type { Schema } from "./model/flow";
import { askedText, stepTitle } from "./say";
import type { Studio } from "./studio";

/** Texts of the formats that schemas often ask for. */
const formats: Record<string, string> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T09:00:00Z",
  email: "name@example.com",
  uri: "https://example.com/",
};

/** An input that a schema accepts, to begin with. */
export function exampleOf(schema: Schema | undefined): string {
  const value = (s: Schema | undefined): unknown => {
    if (s?.enum) return s.enum[0];
    const type = Array.isArray(s?.type) ? s.type[0] : s?.type;
    if (type === "number" || type === "integer") return 1;
    if (type === "boolean") return true;
    if (type === "array") return [];
    if (type === "object") return Object.fromEntries(fieldsOf(s).map((f) => [f.name, value(s?.properties?.[f.name])]));
    return formats[String(s?.format)] ?? "text";
  };
  return JSON.stringify(schema ? value({ ...schema, type: "object" }) : {}, null, 2);
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Inputs to try the workflow with, what would be asked of whom, and a test run. */
export function TestPanel(props: {
  studio: Studio;
  sample: number;
  onSample: (index: number) => void;
  runId?: string;
  onRun: (id: string | undefined) => void;
  onRunData: (run: Run | undefined) => void;
}) {
  const { studio, sample, onSample, runId, onRun, onRunData } = props;
  const { editor, preview } = studio;
  const { samples } = editor.content;
  const current = samples[sample];
  const save = useSaveVersion(editor.name);
  const start = useStartRun();
  const text = current?.input ?? exampleOf(editor.flow.input);
  const valid = isJson(text);
  const setSamples = (next: { name: string; input: string }[], label: string, field?: string) =>
    editor.set({ samples: next }, label, field);
  const change = (input: string) => {
    if (input === text) return;
    if (!current) setSamples([{ name: "Sample 1", input }], "Change the sample input", "sample 0");
    else
      setSamples(
        samples.map((s, i) => (i === sample ? { ...s, input } : s)),
        "Change the sample input",
        `sample ${sample}`,
      );
  };
  const test = async () => {
    try {
      const version = await save.mutateAsync({ yaml: editor.content.yaml });
      editor.setBase(version.version);
      const run = await start.mutateAsync({
        workflow: editor.name,
        version: version.version,
        input: raw(text),
        test_mode: true,
      });
      onRun(run.id);
      editor.say("The test run has started");
    } catch {
      // Shown below.
    }
  };
  return (
    <div className="space-y-5">
      <section>
        <div className="mb-2 flex items-center gap-1">
          <Select
            label="Sample input"
            value={String(sample)}
            className="flex-1"
            onValueChange={(v) => onSample(Number(v))}
            options={
              samples.length > 0
                ? samples.map((s, i) => ({ value: String(i), label: s.name }))
                : [{ value: "0", label: "Example" }]
            }
          />
          {editor.editable && (
            <>
              <IconButton
                label="Add a sample input"
                onClick={() => {
                  const list = samples.length > 0 ? samples : [{ name: "Sample 1", input: text }];
                  setSamples(
                    [...list, { name: `Sample ${list.length + 1}`, input: exampleOf(editor.flow.input) }],
                    "Add a sample input",
                  );
                  onSample(list.length);
                }}
              >
                <Plus />
              </IconButton>
              <IconButton
                label="Remove this sample input"
                disabled={samples.length === 0}
                onClick={() => {
                  setSamples(
                    samples.filter((_, i) => i !== sample),
                    "Remove a sample input",
                  );
                  onSample(0);
                }}
              >
                <Trash2 />
              </IconButton>
            </>
          )}
        </div>
        <CodeEditor
          language="json"
          label="Sample input as JSON"
          value={text}
          onChange={change}
          readOnly={!editor.editable}
          className="max-h-56"
        />
        <p className="mt-1 min-h-4 text-small text-muted">
          {valid ? "Kept with the workflow." : "This is not JSON yet."}
        </p>
        <Button
          look="filled"
          className="mt-1 w-full"
          loading={save.isPending || start.isPending}
          disabled={!valid || studio.problems.some((p) => !p.warning) || editor.flow.steps.length === 0}
          onClick={() => void test()}
        >
          <Play aria-hidden /> Run a test
        </Button>
        <p className="mt-1 text-small text-muted">
          A test calls only what is harmless; everything else returns its sample.
        </p>
        {save.error && <ErrorNote error={save.error} />}
        {start.error && <ErrorNote error={start.error} />}
      </section>
      {runId ? (
        <TestRun id={runId} studio={studio} onClose={() => onRun(undefined)} onRunData={onRunData} />
      ) : (
        <Expected studio={studio} />
      )}
      {!runId && preview?.output !== undefined && preview?.output !== null && (
        <section>
          <h3 className="mb-1 text-control font-semibold">Output</h3>
          <JsonView value={preview.output} className="max-h-48" />
        </section>
      )}
    </div>
  );
}

function Expected({ studio }: { studio: Studio }) {
  const { preview } = studio;
  if (!preview) return <p className="text-small text-muted">Fix the problems to see what would happen.</p>;
  return (
    <section aria-label="What would happen">
      <h3 className="mb-1 text-control font-semibold">What would happen</h3>
      {preview.error && <p className="text-small text-bad-text">{preview.error.message}</p>}
      <p className="text-small text-muted">
        {format.plural(preview.steps.filter((s) => s.status === "done").length, "step")} would run{" "}
        {preview.gates.length === 0 ? "without asking anyone." : "and ask people:"}
      </p>
      <ul className="mt-1 space-y-1">
        {preview.gates.map((g, i) => (
          <li key={`${g.gate} ${i}`} className="flex items-start gap-2 text-control">
            <Hand aria-hidden className="mt-0.5 size-4 shrink-0 text-warn-text" />
            <span className="min-w-0 flex-1">
              <span className="block truncate">{g.title}</span>
              <span className="block text-meta text-muted">
                {askedText(g)}
                {g.deadline_s > 0 && ` · within ${format.duration(g.deadline_s * 1000)}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TestRun({
  id,
  studio,
  onClose,
  onRunData,
}: {
  id: string;
  studio: Studio;
  onClose: () => void;
  onRunData: (run: Run | undefined) => void;
}) {
  const { test, pick, editor } = studio;
  const { data: found } = useRun(id);
  const run = found?.test_mode && found.workflow === editor.name ? found : undefined; // the address can name any run
  useEffect(() => {
    if (run) onRunData(run);
  }, [run, onRunData]);
  if (!run) return null;
  const word = runStatus[run.status];
  return (
    <section aria-label="Test run">
      <div className="mb-1 flex items-center gap-2">
        <h3 className="flex-1 text-control font-semibold">Test run</h3>
        <span role="status">
          <Badge tone={word.tone} icon={word.icon}>
            {word.label}
          </Badge>
        </span>
      </div>
      <Asked run={run} />
      <ul className="space-y-1">
        {run.steps.map((s) => {
          const status = stepStatus[s.status];
          return (
            <li key={s.id} className="flex items-center gap-2 text-control">
              <status.icon aria-hidden className="size-4 shrink-0 text-muted" />
              <button
                type="button"
                className="min-h-(--tap) min-w-0 flex-1 truncate text-left hover:underline"
                title="Its output, and running again from here"
                onClick={() => {
                  keepFocus();
                  pick({ kind: "step", id: s.id });
                }}
              >
                {stepTitle({ id: s.id })}
              </button>
              {test.pins[s.id] !== undefined && <Badge tone="accent">pinned</Badge>}
              <span className="text-meta text-muted">{status.label}</span>
            </li>
          );
        })}
      </ul>
      {test.failure !== undefined && <ErrorNote error={test.failure} />}
      {run.error && <p className="mt-1 text-small text-bad-text">{run.error.message}</p>}
      {run.output !== null && run.output !== undefined && <JsonView value={run.output} className="mt-2 max-h-48" />}
      <div className="mt-2 flex gap-2">
        <Button asChild size="small">
          <Link to="/runs/$id" params={{ id }}>
            Open the run
          </Link>
        </Button>
        <Button
          size="small"
          onClick={() => {
            keepFocus();
            onClose();
          }}
        >
          Clear
        </Button>
      </div>
    </section>
  );
}

/** The decisions that the test waits for: they are taken here, as on the page of the run. */
function Asked({ run }: { run: Run }) {
  const { data } = useApprovals({ run: run.id, sort: "age", limit: 100 });
  const below = useOpenBelow(run);
  return (
    <div className="mb-2 empty:hidden">
      <Pending approvals={data?.items ?? none} below={below} />
    </div>
  );
}

const none: Approval[] = [];
