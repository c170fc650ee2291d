import { X } from "lucide-react";
import { useState } from "react";
import { useToolSearch } from "../../api/plans";
import type { Raw, Tree } from "../../json";
import { Button, IconButton } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { Input } from "../../ui/Input";
import { Visible } from "../../ui/Visible";
import { format } from "../../words";
import { spelled } from "../../words/unseen";
import { badNumbers, setAt, text } from "../edit";
import { AnyField } from "../form/AnyField";
import type { FormContext } from "../form/field";
import { LazySelect } from "../form/LazySelect";
import { emptyOf, labelOf, memberSchema, resolve, type Schema, schemaOf } from "../schema";
import type { Desk } from "../useDesk";
import {
  memberOf,
  performerOf,
  placeOfStep,
  remove,
  setInStep,
  setPlace,
  setSource,
  sourceOf,
  stringOf,
} from "./planEdit";

interface Props {
  desk: Desk;
  n: number;
  step: Tree;
  /** The schema of its arguments, if it was just found; else it is looked up. */
  args: Raw | null | undefined;
  /** Where it can stand, and what its arguments can be read from. */
  places: { value: string; label: string }[];
  paths: string[];
  /** Called before it goes, with the focus in it. */
  onRemove: () => void;
}

/** A step that would be added: its name, its place and its arguments. */
export function NewStep({ desk, n, step, args, places, paths, onRemove }: Props) {
  const id = stringOf(step, "id");
  const by = performerOf(step);
  const known = useToolSearch(args === undefined ? by.replace(/^agent:/, "").replaceAll(/[_:/.-]+/g, " ") : "");
  const schema = schemaOf(args === undefined ? known.data?.items.find((t) => t.name === by)?.args_schema : args);
  const root = resolve(schema, schema);
  const given = memberOf(step, "with");
  const mapped = given?.kind === "object" ? given.members.map((m) => m.key) : [];
  const fields = [...new Set([...Object.keys(root.properties ?? {}), ...mapped])];
  const place = placeOfStep(step);
  const change = (tree: Tree) => desk.edit(tree);
  return (
    <li>
      <fieldset className="min-w-0 rounded-sm border border-ok-fill p-3">
        <legend className="-ml-1 flex max-w-full min-w-0 items-center gap-1 px-1 text-small font-medium">
          <span className="min-w-0 break-all">
            New step: <Visible text={by.replace(/^agent:/, "agent ")} />
          </span>
          <IconButton
            label={spelled(`Do not add ${format.title(id)}`)}
            className="size-6 pointer-coarse:size-11"
            disabled={desk.sending}
            onClick={() => {
              onRemove();
              change(remove(desk.edited, n));
            }}
          >
            <X />
          </IconButton>
        </legend>
        <div className="grid gap-x-4 sm:grid-cols-2">
          <Field
            label="Name in the plan"
            error={/^[a-z0-9][\w-]*$/i.test(id) ? undefined : "Letters, digits, _ and -."}
          >
            <Input
              value={id}
              autoFocus={args !== undefined}
              maxLength={60}
              disabled={desk.sending}
              onChange={(e) => change(setInStep(desk.edited, n, ["id"], text(e.target.value)))}
            />
          </Field>
          <Field label="When" hint={place === "" ? "It runs beside the next steps." : undefined}>
            <LazySelect
              className="w-full"
              value={place}
              disabled={desk.sending}
              options={places.some((p) => p.value === place) ? places : [...places, { value: place, label: place }]}
              onValueChange={(chosen) => change(setPlace(desk.edited, n, chosen))}
            />
          </Field>
        </div>
        {fields.map((field) => (
          <Argument key={field} desk={desk} n={n} step={step} field={field} schema={root} root={schema} paths={paths} />
        ))}
        {fields.length === 0 && by.startsWith("agent:") && (
          <p className="text-small text-muted">It gets everything that the run knows.</p>
        )}
        {fields.length === 0 && !by.startsWith("agent:") && (
          <p className="text-small text-muted">
            {known.isFetching ? "Looking up its arguments…" : "It has no arguments."}
          </p>
        )}
      </fieldset>
    </li>
  );
}

interface ArgumentProps {
  desk: Desk;
  n: number;
  step: Tree;
  field: string;
  schema: Schema;
  root: Schema;
  paths: string[];
}

const typed = "=";

function Argument({ desk, n, step, field, schema, root, paths }: ArgumentProps) {
  const own = memberSchema(schema, field, root);
  const source = sourceOf(step, field);
  const required = schema.required?.includes(field) ?? false;
  const label = labelOf(field, own);
  const path = source && "path" in source ? source.path : undefined;
  const set = (next: Parameters<typeof setSource>[3]) => desk.edit(setSource(desk.edited, n, field, next));
  const key = `/inject_steps/${n}/with/${field}`;
  const [half, setHalf] = useState<Tree>(); // a number that is not valid yet
  const value = half ?? (source && "value" in source ? source.value : undefined);
  const context: FormContext = {
    root,
    faults: required && source === undefined ? new Map([[`/${field}`, "This is needed."]]) : new Map(),
    disabled: desk.sending,
    AnyField,
    broken: (pointer, message) => desk.broken(key + pointer, message),
    set: (at, next) => {
      const whole = at.length <= 1 ? next : setAt(value ?? { kind: "object", members: [] }, at.slice(1), next);
      const bad = whole !== undefined && badNumbers(whole).length > 0;
      desk.broken(key, bad ? `${label}: this is not a number.` : undefined);
      setHalf(bad ? whole : undefined);
      if (!bad) set(whole && { value: whole });
    },
  };
  const from = [...new Set([...paths, ...(path ? [path] : [])])];
  return (
    <div className="mt-2 grid min-w-0 items-start gap-x-4 sm:grid-cols-2">
      {path === undefined ? (
        <AnyField context={context} path={[field]} name={field} schema={own} value={value} required={required} />
      ) : (
        <p className="mb-1 self-center text-control font-medium break-words">
          <Visible text={label} />
        </p>
      )}
      {from.length > 0 ? (
        <Field label={<Visible text={`Source of ${label}`} />}>
          <LazySelect
            className="w-full"
            value={path ?? typed}
            disabled={desk.sending}
            options={[{ value: typed, label: "A value" }, ...from.map((one) => ({ value: one, label: spelled(one) }))]}
            onValueChange={(chosen) => {
              desk.broken(key, undefined);
              setHalf(undefined);
              set(chosen === typed ? (required ? { value: emptyOf(own, root) } : undefined) : { path: chosen });
            }}
          />
        </Field>
      ) : (
        path !== undefined && (
          <Button size="small" className="mb-3" onClick={() => set(undefined)}>
            <Visible text={`Do not use ${path}`} />
          </Button>
        )
      )}
    </div>
  );
}
