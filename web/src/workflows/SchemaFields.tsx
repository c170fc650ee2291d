import { Trash2 } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { Select } from "../ui/Select";
import { Visible } from "../ui/Visible";
import type { Path } from "../yaml/splice";
import { AddName } from "./AddName";
import { More } from "./More";
import { fieldsOf } from "./model/catalog";
import type { Schema } from "./model/flow";
import { TextField } from "./TextField";

const types = [
  { value: "string", label: "Text" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
  { value: "object", label: "Object" },
  { value: "array", label: "List" },
];

/** The fields of a schema: their names, types, and which are required. Everything else in it stays as it is. */
export function SchemaFields(props: {
  schema?: Schema;
  /** Such as "input field": names the controls. */
  noun: string;
  editable: boolean;
  /** One change of several places; undefined removes. */
  onChange: (changes: { path: Path; value: unknown }[], label: string) => void;
}) {
  const { schema, noun, editable, onChange } = props;
  const fields = fieldsOf(schema);
  const require = (name: string, on: boolean) => {
    const now = fields.filter((f) => (f.name === name ? on : f.required)).map((f) => f.name);
    onChange(
      [{ path: ["required"], value: now.length > 0 ? now : undefined }],
      `${on ? "Require" : "Do not require"} ${name}`,
    );
  };
  const add = (typed: string) => {
    const name = typed.replace(/[^A-Za-z0-9_-]+/g, "_");
    if (fields.some((f) => f.name === name)) return false;
    onChange(
      schema
        ? [{ path: ["properties", name], value: { type: "string" } }]
        : [{ path: [], value: { type: "object", properties: { [name]: { type: "string" } } } }],
      `Add the ${noun} ${name}`,
    );
  };
  return (
    <>
      <ul className="space-y-1">
        {fields.map((field) => (
          <li key={field.name} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate text-control">
              <Visible text={field.name} />
            </span>
            <Select
              label={`Type of ${field.name}`}
              value={types.some((t) => t.value === field.type) ? field.type : "string"}
              disabled={!editable}
              onValueChange={(type) =>
                onChange(
                  [{ path: ["properties", field.name, "type"], value: type }],
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
                label={`Remove the ${noun} ${field.name}`}
                onClick={() => {
                  const left = fields.filter((f) => f.required && f.name !== field.name).map((f) => f.name);
                  onChange(
                    [
                      ...(field.required ? [{ path: ["required"], value: left.length > 0 ? left : undefined }] : []),
                      { path: ["properties", field.name], value: undefined },
                    ],
                    `Remove the ${noun} ${field.name}`,
                  );
                }}
              >
                <Trash2 />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {editable && (
        <AddName
          label={/^[aeiou]/.test(noun) ? `Name of an ${noun}` : `Name of a ${noun}`}
          placeholder="Add a field…"
          onAdd={add}
        />
      )}
    </>
  );
}

/** The whole schema: descriptions, limits, formats, lists of values and nested fields as well. */
export function SchemaJson(props: {
  schema: unknown;
  /** Such as "input". */
  noun: string;
  editable: boolean;
  fault?: string;
  onChange: (schema: unknown) => void;
}) {
  const { schema, noun, editable, fault, onChange } = props;
  const [refused, refuse] = useState(false);
  return (
    <More label={`All of the ${noun}`} wrong={fault !== undefined}>
      <TextField
        label={`JSON Schema of the ${noun}`}
        long
        late
        mono
        value={schema === undefined ? "" : JSON.stringify(schema, null, 2)}
        disabled={!editable}
        error={refused ? "This is not JSON." : fault}
        hint="With descriptions, limits, formats and nested fields. Empty: any"
        onChange={(text) => {
          let value: unknown;
          try {
            value = text.trim() === "" ? undefined : JSON.parse(text);
          } catch {
            refuse(true);
            return;
          }
          refuse(false);
          onChange(value);
        }}
      />
    </More>
  );
}
