import { useEffect, useId, useState } from "react";
import { Checkbox } from "../ui/Checkbox";
import { Field } from "../ui/Field";
import { Select, type SelectOption } from "../ui/Select";
import type { Path } from "../yaml/splice";
import { TextField } from "./TextField";

/** Changes a value; undefined removes it. What is typed is undone together. */
export type Change = (path: Path, value: unknown, label: string, typed?: boolean) => void;

/** What a form of some part of the workflow works with. */
export interface Part {
  change: Change;
  /** What the server says about a field. */
  fault: (path: Path) => string | undefined;
  editable: boolean;
}

/** "ann, role:press" */
export const listOf = (text: string): string[] | undefined => {
  const all = text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return all.length > 0 ? all : undefined;
};

/** One text or several. */
export const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(", ") : value === undefined || value === null ? "" : String(value);

interface Props {
  part: Part;
  path: Path;
  label: string;
  /** How the change is called: "the role". */
  what: string;
  value: unknown;
  hint?: string;
  placeholder?: string;
  list?: string;
  disabled?: boolean;
  className?: string;
}

/** A text, or a time such as 4h. */
export function TextAt({ part, path, what, value, disabled, ...rest }: Props) {
  return (
    <TextField
      {...rest}
      value={textOf(value)}
      error={part.fault(path)}
      disabled={!part.editable || disabled}
      onChange={(text) => part.change(path, text || undefined, `Change ${what}`, true)}
    />
  );
}

/** Several texts, separated by commas. */
export function ListAt({ part, path, what, value, disabled, ...rest }: Props) {
  return (
    <TextField
      {...rest}
      late
      value={textOf(value)}
      error={part.fault(path)}
      disabled={!part.editable || disabled}
      onChange={(text) => part.change(path, listOf(text), `Change ${what}`)}
    />
  );
}

/** A number; anything else is refused where it is typed. */
export function NumberAt(props: Props & { from?: number; to?: number; whole?: boolean }) {
  const { part, path, what, value, disabled, from = 0, to = Number.POSITIVE_INFINITY, whole, ...rest } = props;
  const [refused, refuse] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another value takes the place of what was refused
  useEffect(() => refuse(false), [value]);
  const must = `${whole ? "A whole number" : "A number"} ${Number.isFinite(to) ? `from ${from} to ${to}` : `of at least ${from}`}`;
  return (
    <TextField
      {...rest}
      late
      value={textOf(value)}
      error={refused ? must : part.fault(path)}
      disabled={!part.editable || disabled}
      onChange={(text) => {
        const number = Number(text);
        const bad = text.trim() !== "" && !(number >= from && number <= to && (!whole || Number.isInteger(number)));
        refuse(bad);
        if (!bad) part.change(path, text.trim() === "" ? undefined : number, `Change ${what}`);
      }}
    />
  );
}

/** One of several words; the empty one removes it. */
export function ChoiceAt({ part, path, what, value, disabled, ...rest }: Props & { options: SelectOption[] }) {
  const { label, hint, options, className } = rest;
  return (
    <Field label={label} hint={hint} error={part.fault(path)} className={className}>
      <Select
        value={textOf(value)}
        className="w-full"
        disabled={!part.editable || disabled}
        onValueChange={(chosen) => part.change(path, chosen || undefined, `Change ${what}`)}
        options={options}
      />
    </Field>
  );
}

/** A box to tick. What is so by default is not written. */
export function TickAt(props: {
  part: Part;
  path: Path;
  label: string;
  hint?: string;
  on: boolean;
  byDefault?: boolean;
  className?: string;
}) {
  const { part, path, label, hint, on, byDefault = false, className } = props;
  const id = useId();
  const fault = part.fault(path);
  return (
    <div className={className}>
      <div className="flex min-h-8 items-center gap-2 text-control">
        <Checkbox
          id={id}
          checked={on}
          disabled={!part.editable}
          onCheckedChange={(now) =>
            part.change(path, now === byDefault ? undefined : now, `Change: ${label.toLowerCase()}`)
          }
        />
        <label htmlFor={id}>{label}</label>
      </div>
      {(fault ?? hint) && <p className={`text-small ${fault ? "text-bad-text" : "text-muted"}`}>{fault ?? hint}</p>}
    </div>
  );
}
