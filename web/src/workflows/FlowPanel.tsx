import { Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Button, IconButton } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Select } from "../ui/Select";
import { Visible } from "../ui/Visible";
import { Expression } from "./Expression";
import { fieldsOf, matchOf } from "./model/catalog";
import { setFlow } from "./model/edit";
import type { Path } from "./model/splice";
import { Result } from "./Result";
import { SchemaFields } from "./SchemaFields";
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
          onChange={text("description", "the purpose")}
        />
        <TextField
          label="Subject of a run"
          value={String(flow.all.subject ?? "")}
          disabled={!editable}
          hint="With fields of the input: Refund {amount} {currency}"
          onChange={text("subject", "the subject")}
        />
        <TextField
          label="Timeout"
          value={String(flow.all.timeout ?? "")}
          placeholder="None"
          disabled={!editable}
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
      </section>
      <Output studio={studio} />
      <Behaviour studio={studio} />
    </div>
  );
}

/** What a run gives back: a source for each field. */
function Output({ studio }: { studio: Studio }) {
  const { editor } = studio;
  const { flow, editable } = editor;
  const { sources, scope } = useScope(studio, undefined);
  const [adding, setAdding] = useState("");
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
        <form
          className="mt-2 flex gap-1"
          onSubmit={(e) => {
            e.preventDefault();
            const name = adding.trim();
            if (!name) return;
            const match = matchOf({ name, type: "", required: false }, sources);
            set(name, match?.path ?? flow.steps.at(-1)?.id ?? "input", false);
            setAdding("");
          }}
        >
          <Input
            aria-label="Name of an output field"
            placeholder="Add a field…"
            value={adding}
            onChange={(e) => setAdding(e.target.value)}
          />
          <Button type="submit" disabled={!adding.trim()}>
            <Plus aria-hidden /> Add
          </Button>
        </form>
      )}
    </section>
  );
}

interface Loops {
  agent?: { agent?: string; at?: string };
  human?: string | { when?: string };
}

/** How runs go on: after failures, ahead of approvals, and who looks at them between layers. */
function Behaviour({ studio }: { studio: Studio }) {
  const { editor, catalog } = studio;
  const { flow, editable } = editor;
  const list = useId();
  const loops = (flow.all.loops ?? {}) as Loops;
  const when = typeof loops.human === "string" ? loops.human : (loops.human?.when ?? "");
  const set = (path: Path, value: unknown, label: string, field?: string) =>
    editor.edit((yaml) => setFlow(yaml, path, value), label, field);
  const tick = (key: string, on: boolean, byDefault: boolean, label: string) => (
    <li className="flex min-h-8 items-center gap-2 text-control">
      <Checkbox
        id={`flow-${key}`}
        checked={on}
        disabled={!editable}
        onCheckedChange={(now) => set([key], now === byDefault ? undefined : now, `Change: ${label.toLowerCase()}`)}
      />
      <label htmlFor={`flow-${key}`}>{label}</label>
    </li>
  );
  return (
    <section aria-label="Behaviour">
      <h3 className="mb-1 text-control font-semibold">Behaviour</h3>
      <ul className="mb-3">
        {tick("stop_on_error", flow.all.stop_on_error !== false, true, "Stop when a step fails")}
        {tick("speculate", flow.all.speculate === true, false, "Run harmless steps ahead of open approvals")}
      </ul>
      <datalist id={list}>
        {catalog
          .filter((o) => o.doer === "agent")
          .map((o) => (
            <option key={o.name} value={o.name} />
          ))}
      </datalist>
      <div className="grid grid-cols-2 gap-x-3">
        <TextField
          label="Agent between layers"
          list={list}
          value={String(loops.agent?.agent ?? "")}
          placeholder="None"
          disabled={!editable}
          hint="May find further steps, or ask"
          onChange={(value) =>
            set(
              value ? ["loops", "agent", "agent"] : ["loops", "agent"],
              value || undefined,
              "Change the agent between layers",
              "loops",
            )
          }
        />
        <Field label="It is asked">
          <Select
            value={loops.agent?.at ?? ""}
            className="w-full"
            disabled={!editable || !loops.agent}
            onValueChange={(value) =>
              set(["loops", "agent", "at"], value || undefined, "Change when the agent between layers is asked")
            }
            options={[
              { value: "", label: "By default" },
              { value: "per_layer", label: "After every layer" },
              { value: "on_error", label: "After a failure" },
              { value: "manual", label: "On request" },
            ]}
          />
        </Field>
        <Field label="People between layers" className="col-span-2">
          <Select
            value={when}
            className="w-full"
            disabled={!editable}
            onValueChange={(value) =>
              set(
                typeof loops.human === "object" ? ["loops", "human", "when"] : ["loops", "human"],
                value || undefined,
                "Change when people are asked between layers",
              )
            }
            options={[
              { value: "", label: "Not set" },
              { value: "always", label: "Are asked every time" },
              { value: "critical_only", label: "Are asked before steps of critical risk" },
              { value: "never", label: "Are not asked" },
            ]}
          />
        </Field>
      </div>
    </section>
  );
}
