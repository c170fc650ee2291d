import { Plus, X } from "lucide-react";
import { useState } from "react";
import type { Tree } from "../../json";
import { Button, IconButton } from "../../ui/Button";
import { Input } from "../../ui/Input";
import { Visible } from "../../ui/Visible";
import { spelled } from "../../words/unseen";
import { type Path, pointerOf, text } from "../edit";
import { emptyOf, labelOf, memberSchema, type Schema } from "../schema";
import type { FieldProps, FormContext } from "./field";

/** The fields of an object: those of the schema in its order, then the others. */
export function ObjectField({ context, path, name, schema, value, required, top, entry }: FieldProps) {
  const { AnyField } = context;
  const members = value?.kind === "object" ? value.members : [];
  const listed = Object.keys(schema.properties ?? {});
  const others = [...new Set(members.map((m) => m.key))].filter((key) => !listed.includes(key));
  const label = labelOf(name, schema);
  const error = context.faults.get(pointerOf(path));
  if (value === undefined && !top) return <Absent label={label} schema={schema} context={context} path={path} />;
  const fields = (
    <div className="space-y-2">
      {schema.description && !top && (
        <p className="text-small text-muted">
          <Visible text={schema.description} />
        </p>
      )}
      {[...listed, ...others].map((key) => (
        <AnyField
          key={key}
          context={context}
          path={[...path, key]}
          name={key}
          schema={memberSchema(schema, key, context.root)}
          value={members.findLast((m) => m.key === key)?.value}
          required={schema.required?.includes(key) ?? false}
        />
      ))}
      {error && <p className="text-small text-bad-text">{error}</p>}
      {schema.additionalProperties !== false && (
        <NewField context={context} path={path} schema={schema} taken={[...listed, ...others]} />
      )}
    </div>
  );
  if (top) return fields;
  return (
    <fieldset className="mb-2 min-w-0 rounded-sm border p-3">
      <legend className="-ml-1 flex items-center gap-1 px-1 text-small font-medium">
        <Visible text={entry && !schema.title ? `No. ${name}` : label} />
        {!required && (
          <IconButton
            label={spelled(`Leave out ${label}`)}
            className="size-6"
            onClick={() => context.set(path, undefined)}
          >
            <X />
          </IconButton>
        )}
      </legend>
      {fields}
    </fieldset>
  );
}

/** An object or list that is not set, and a button to add it. */
export function Absent(props: { label: string; schema: Schema; context: FormContext; path: Path }) {
  const { label, schema, context, path } = props;
  const error = context.faults.get(pointerOf(path));
  return (
    <div className="mb-2">
      <div className="flex items-center gap-2">
        <span className="text-small font-medium">
          <Visible text={label} />
        </span>
        <span className="text-small text-muted">not set</span>
        <Button
          size="small"
          look="ghost"
          disabled={context.disabled}
          onClick={() => context.set(path, emptyOf(schema, context.root))}
        >
          <Plus /> Add
        </Button>
      </div>
      {error && <p className="text-small text-bad-text">{error}</p>}
    </div>
  );
}

/** A field with a custom name, where the schema allows it. */
function NewField(props: { context: FormContext; path: Path; schema: Schema; taken: string[] }) {
  const { context, path, schema, taken } = props;
  const [name, setName] = useState<string>();
  if (name === undefined) {
    return (
      <Button look="ghost" size="small" className="-ml-2" disabled={context.disabled} onClick={() => setName("")}>
        <Plus /> Add a field
      </Button>
    );
  }
  const add = () => {
    if (!name || taken.includes(name)) return;
    const own = memberSchema(schema, name, context.root);
    const empty: Tree = Object.keys(own).length > 0 ? emptyOf(own, context.root) : text("");
    context.set([...path, name], empty);
    setName(undefined);
  };
  return (
    <div className="flex items-center gap-2">
      <Input
        autoFocus
        aria-label="Name of the new field"
        placeholder="Name of the field"
        value={name}
        aria-invalid={taken.includes(name) || undefined}
        onChange={(e) => setName(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
            e.preventDefault();
            add();
          }
        }}
      />
      <Button disabled={!name || taken.includes(name)} onClick={add}>
        Add
      </Button>
      <IconButton label="Cancel" onClick={() => setName(undefined)}>
        <X />
      </IconButton>
    </div>
  );
}
