import { Trash2 } from "lucide-react";
import { IconButton } from "../ui/Button";
import { Visible } from "../ui/Visible";
import type { Path } from "../yaml/splice";
import { AddName } from "./AddName";
import { Expression } from "./Expression";
import { type Part, TickAt } from "./Fields";
import { FlowMore } from "./FlowMore";
import { LoopFields } from "./LoopFields";
import { fieldsOf, matchOf } from "./model/catalog";
import { setChanged, setFlow } from "./model/edit";
import type { Flow } from "./model/flow";
import { Result } from "./Result";
import { SchemaFields, SchemaJson } from "./SchemaFields";
import type { Studio } from "./studio";
import { TextField } from "./TextField";
import { useScope } from "./useScope";

/** The workflow as a whole: its purpose, and what a run starts with. */
export function FlowPanel({ studio }: { studio: Studio }) {
  const { editor } = studio;
  const { flow, editable } = editor;
  const fields = fieldsOf(flow.input);
  const text = (key: string, label: string) => (value: string) =>
    editor.edit((yaml) => setFlow(yaml, [key], value || undefined), `Change ${label}`, `flow ${key}`);
  const part: Part = {
    editable,
    fault: studio.faultAt,
    change: (path, value, label, typed) =>
      editor.edit((yaml) => setFlow(yaml, path, value), label, typed ? `flow ${path.join(" ")}` : undefined),
  };
  const onInput = (changes: { path: Path; value: unknown }[], label: string) =>
    editor.edit((yaml) => changes.reduce((out, c) => setFlow(out, ["input", ...c.path], c.value), yaml), label);
  return (
    <div className="space-y-5">
      <section className="grid gap-3">
        <TextField
          label="Purpose"
          long
          value={flow.description}
          disabled={!editable}
          error={studio.faultAt(["description"])}
          onChange={text("description", "the purpose")}
        />
        <TextField
          label="Subject of a run"
          value={String(flow.all.subject ?? "")}
          disabled={!editable}
          error={studio.faultAt(["subject"])}
          hint="With fields of the input: Refund {amount} {currency}"
          onChange={text("subject", "the subject")}
        />
        <TextField
          label="Timeout"
          value={String(flow.all.timeout ?? "")}
          placeholder="None"
          disabled={!editable}
          error={studio.faultAt(["timeout"])}
          hint="Of the whole run, such as 15m; waiting for people does not count"
          onChange={text("timeout", "the timeout")}
        />
      </section>
      <section aria-label="Input of a run">
        <h3 className="mb-1 text-control font-semibold">Input of a run</h3>
        {fields.length === 0 && (
          <p className="text-small text-muted">Any. Fields named here are checked, and steps can refer to them.</p>
        )}
        <SchemaFields schema={flow.input} noun="input field" editable={editable} onChange={onInput} />
        <SchemaJson
          schema={flow.all.input}
          noun="input"
          editable={editable}
          fault={studio.faultAt(["input"])}
          onChange={(value) =>
            editor.edit((yaml) => setChanged(yaml, ["input"], flow.all.input, value), "Change the schema of the input")
          }
        />
      </section>
      <Output studio={studio} />
      <Behaviour flow={flow} part={part} />
      <LoopFields studio={studio} part={part} />
      <FlowMore flow={flow} roles={studio.roles} part={part} />
    </div>
  );
}

/** What a run gives back: a source for each field. */
function Output({ studio }: { studio: Studio }) {
  const { editor } = studio;
  const { flow, editable } = editor;
  const { sources, scope } = useScope(studio, undefined);
  const fields = Object.entries(flow.output ?? {});
  const set = (name: string, value: string | undefined, typed = true) =>
    editor.edit(
      (yaml) => setFlow(yaml, ["output", name], value),
      value === undefined ? `Remove ${name} from the output` : `Change ${name} of the output`,
      typed ? `output ${name}` : undefined,
    );
  return (
    <section aria-label="Output of a run">
      <h3 className="mb-1 text-control font-semibold">Output of a run</h3>
      {fields.length === 0 && <p className="text-small text-muted">The output of the last step.</p>}
      <ul className="space-y-2">
        {fields.map(([name, source]) => (
          <li key={name}>
            <span className="text-control font-medium break-all">
              <Visible text={name} />
            </span>
            <span className="flex items-center gap-1">
              <Expression
                label={`Source of ${name} in the output`}
                sources={sources}
                value={typeof source === "string" ? source : JSON.stringify(source)}
                disabled={!editable}
                onChange={(value) => set(name, value)}
              />
              {editable && (
                <IconButton label={`Remove ${name} from the output`} onClick={() => set(name, undefined, false)}>
                  <Trash2 />
                </IconButton>
              )}
            </span>
            <Result source={source} scope={scope} />
          </li>
        ))}
      </ul>
      {editable && (
        <AddName
          label="Name of an output field"
          placeholder="Add a field…"
          onAdd={(name) => {
            const match = matchOf({ name, type: "", required: false }, sources);
            set(name, match?.path ?? flow.steps.at(-1)?.id ?? "input", false);
          }}
        />
      )}
    </section>
  );
}

/** How runs continue: after failures, and ahead of approvals. */
function Behaviour({ flow, part }: { flow: Flow; part: Part }) {
  return (
    <section aria-label="Behaviour">
      <h3 className="mb-1 text-control font-semibold">Behaviour</h3>
      <TickAt
        part={part}
        path={["stop_on_error"]}
        label="Stop when a step fails"
        on={flow.all.stop_on_error !== false}
        byDefault
      />
      <TickAt
        part={part}
        path={["speculate"]}
        label="Run harmless steps ahead of open approvals"
        on={flow.all.speculate === true}
      />
    </section>
  );
}
