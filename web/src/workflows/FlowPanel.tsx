import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { Input } from "../ui/Input";
import { Select } from "../ui/Select";
import { fieldsOf } from "./model/catalog";
import { setFlow } from "./model/edit";
import type { Studio } from "./studio";
import { TextField } from "./TextField";

const types = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "boolean", label: "Yes or no" },
  { value: "object", label: "Object" },
  { value: "array", label: "List" },
];

/** The workflow as a whole: its purpose, and what a run starts with. */
export function FlowPanel({ studio }: { studio: Studio }) {
  const { editor } = studio;
  const { flow, editable } = editor;
  const [adding, setAdding] = useState("");
  const fields = fieldsOf(flow.input);
  const text = (key: string, label: string) => (value: string) =>
    editor.edit((yaml) => setFlow(yaml, [key], value || undefined), `Change ${label}`, `flow ${key}`);
  const require = (name: string, on: boolean) => {
    const now = fields.filter((f) => (f.name === name ? on : f.required)).map((f) => f.name);
    editor.edit(
      (yaml) => setFlow(yaml, ["input", "required"], now.length > 0 ? now : undefined),
      `${on ? "Require" : "Do not require"} ${name}`,
    );
  };
  const add = () => {
    const name = adding.trim().replace(/[^A-Za-z0-9_-]+/g, "_");
    if (!name) return;
    editor.edit((yaml) => {
      const typed = flow.input
        ? yaml
        : setFlow(yaml, ["input"], { type: "object", properties: { [name]: { type: "string" } } });
      return flow.input ? setFlow(typed, ["input", "properties", name], { type: "string" }) : typed;
    }, `Add the input field ${name}`);
    setAdding("");
  };
  return (
    <div className="space-y-5">
      <section>
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
        <ul className="space-y-1">
          {fields.map((field) => (
            <li key={field.name} className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate text-control">{field.name}</span>
              <Select
                label={`Type of ${field.name}`}
                value={types.some((t) => t.value === field.type) ? field.type : "string"}
                disabled={!editable}
                onValueChange={(type) =>
                  editor.edit(
                    (yaml) => setFlow(yaml, ["input", "properties", field.name, "type"], type),
                    `Change the type of ${field.name}`,
                  )
                }
                options={types}
              />
              <Checkbox
                label={`${field.name} is required`}
                checked={field.required}
                disabled={!editable}
                onCheckedChange={(on) => require(field.name, on)}
              />
              {editable && (
                <IconButton
                  label={`Remove the input field ${field.name}`}
                  onClick={() =>
                    editor.edit((yaml) => {
                      const left = fields.filter((f) => f.required && f.name !== field.name).map((f) => f.name);
                      const out = field.required
                        ? setFlow(yaml, ["input", "required"], left.length > 0 ? left : undefined)
                        : yaml;
                      return setFlow(out, ["input", "properties", field.name], undefined);
                    }, `Remove the input field ${field.name}`)
                  }
                >
                  <Trash2 />
                </IconButton>
              )}
            </li>
          ))}
        </ul>
        {editable && (
          <form
            className="mt-2 flex gap-1"
            onSubmit={(e) => {
              e.preventDefault();
              add();
            }}
          >
            <Input
              aria-label="Name of an input field"
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
    </div>
  );
}
