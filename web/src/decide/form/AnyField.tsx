import { X } from "lucide-react";
import { type ReactElement, useState } from "react";
import type { Tree } from "../../json";
import { compact } from "../../json";
import { IconButton } from "../../ui/Button";
import { Checkbox } from "../../ui/Checkbox";
import { Field } from "../../ui/Field";
import { Input } from "../../ui/Input";
import { Textarea } from "../../ui/Textarea";
import { Visible } from "../../ui/Visible";
import { VisuallyHidden } from "../../ui/VisuallyHidden";
import { spelled } from "../../words/unseen";
import { literal, number, pointerOf, text, treeOfValue } from "../edit";
import { kindOf, labelOf } from "../schema";
import type { FieldProps } from "./field";
import { JsonField } from "./JsonField";
import { LazySelect } from "./LazySelect";
import { ListField } from "./ListField";
import { ObjectField } from "./ObjectField";
import { unseenHint } from "./UnseenHint";

/** The field for a schema and a value. */
export function AnyField(props: FieldProps) {
  switch (kindOf(props.schema, props.value)) {
    case "object":
      return <ObjectField {...props} />;
    case "array":
      return <ListField {...props} />;
    case "json":
      return <JsonField {...props} />;
    default:
      return <ScalarField {...props} />;
  }
}

function ScalarField({ context, path, name, schema, value, required, top, entry }: FieldProps) {
  const label = top && !name ? schema.title || "Value" : labelOf(name, schema);
  const fault = context.faults.get(pointerOf(path));
  const absent = value === undefined;
  // Required fields are marked from the start, but reported as errors only after the user has visited them.
  const [visited, setVisited] = useState(false);
  const missing = absent && fault !== undefined && !visited;
  const error = missing ? undefined : fault;
  const removable = !required && !absent && !top && typeof path.at(-1) === "string";
  if (entry) {
    return (
      <Field
        label={<VisuallyHidden>{`Entry ${name}`}</VisuallyHidden>}
        hint={unseenHint(textIn(value))}
        error={error}
        className="-mb-3"
      >
        {control({ context, path, schema, value, required })}
      </Field>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: not interactive; only records that the field was visited
    <div className="flex min-w-0 items-start gap-1" data-missing={missing || undefined} onBlur={() => setVisited(true)}>
      <Field
        className="min-w-0 flex-1"
        label={
          <>
            <Visible text={label} />
            {!required && <span className="font-normal text-muted"> (optional)</span>}
          </>
        }
        hint={unseenHint(textIn(value), schema.description ?? (missing ? "Required" : undefined))}
        error={error}
      >
        {control({ context, path, schema, value, required })}
      </Field>
      {removable && (
        <IconButton
          label={spelled(`Leave out ${label}`)}
          className="mt-5 shrink-0"
          disabled={context.disabled}
          onClick={() => context.set(path, undefined)}
        >
          <X />
        </IconButton>
      )}
    </div>
  );
}

const notSet = "Not set";

const textIn = (value: Tree | undefined) => (value?.kind === "string" ? value.value : "");

type ControlProps = Pick<FieldProps, "context" | "path" | "schema" | "value" | "required">;

function control({ context, path, schema, value, required }: ControlProps): ReactElement<object> {
  const { disabled, set } = context;
  switch (kindOf(schema, value)) {
    case "enum": {
      const options = (schema.enum ?? []).map((one) => ({
        value: JSON.stringify(one),
        label: spelled(typeof one === "string" ? one : JSON.stringify(one)),
      }));
      const now = value ? compact(value) : "";
      const known = now === "" || options.some((o) => o.value === now);
      return (
        <LazySelect
          className="w-full"
          value={now}
          disabled={disabled}
          options={[
            ...(now === "" || !required ? [{ value: "", label: required ? "Choose" : notSet }] : []),
            ...(known ? [] : [{ value: now, label: `${spelled(now)} (not one of the values)` }]),
            ...options,
          ]}
          onValueChange={(chosen) => set(path, chosen === "" ? undefined : treeOfValue(JSON.parse(chosen)))}
        />
      );
    }
    case "boolean":
      return (
        <YesNo
          value={value}
          required={required}
          disabled={disabled}
          onChange={(next) => set(path, next === undefined ? undefined : literal(next))}
        />
      );
    case "number":
      return (
        <Input
          inputMode={schema.type === "integer" ? "numeric" : "decimal"}
          autoComplete="off"
          className="tabular-nums"
          disabled={disabled}
          placeholder={placeholderOf(value)}
          value={value?.kind === "number" ? value.text : typedOf(value)}
          onChange={(e) => {
            const typed = e.target.value.trim();
            set(path, typed === "" && !required ? undefined : number(typed));
          }}
        />
      );
    case "longtext":
      return (
        <Textarea
          dir="auto"
          rows={4}
          disabled={disabled}
          placeholder={placeholderOf(value)}
          value={value?.kind === "string" ? value.value : ""}
          onChange={(e) => set(path, text(e.target.value))}
        />
      );
    default:
      return (
        <Input
          dir="auto"
          type={schema.format === "date" && isDate(value) ? "date" : schema.format === "email" ? "email" : "text"}
          autoComplete="off"
          disabled={disabled}
          placeholder={placeholderOf(value)}
          value={value?.kind === "string" ? value.value : typedOf(value)}
          onChange={(e) => {
            // A field that was not set and is cleared again is not set again.
            set(
              path,
              e.target.value === "" && !required && schema.format === "date" ? undefined : text(e.target.value),
            );
          }}
        />
      );
  }
}

/** Distinguishes a field that is not set from an empty one: both look empty. */
const placeholderOf = (value: Tree | undefined) =>
  value === undefined ? notSet : isNull(value) ? "Nothing" : undefined;

const isNull = (value: Tree | undefined) => value?.kind === "literal" && value.text === "null";

/** A value of a different type than the field's, as text; null is an empty field. */
function typedOf(value: Tree | undefined): string {
  return value === undefined || isNull(value) ? "" : compact(value);
}

/** The browser's date picker is for dates and empty fields; other texts stay texts. */
function isDate(value: Tree | undefined): boolean {
  return value === undefined || (value.kind === "string" && /^(\d{4}-\d{2}-\d{2})?$/.test(value.value));
}

interface YesNoProps {
  id?: string;
  value: Tree | undefined;
  required: boolean;
  disabled: boolean;
  onChange: (value: boolean | undefined) => void;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

function YesNo({ value, required, onChange, disabled, ...rest }: YesNoProps) {
  if (value?.kind === "literal" && required) {
    return (
      <span className="flex h-(--tap) items-center gap-2">
        <Checkbox id={rest.id} checked={value.text === "true"} onCheckedChange={onChange} disabled={disabled} />
        <span aria-hidden className="text-control">
          {value.text === "true" ? "Yes" : "No"}
        </span>
      </span>
    );
  }
  return (
    <LazySelect
      {...rest}
      className="w-full"
      disabled={disabled}
      value={value?.kind === "literal" ? value.text : ""}
      options={[
        ...(required ? [] : [{ value: "", label: notSet }]),
        { value: "true", label: "Yes" },
        { value: "false", label: "No" },
      ]}
      onValueChange={(chosen) => onChange(chosen === "" ? undefined : chosen === "true")}
    />
  );
}
