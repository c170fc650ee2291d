import { ChevronDown, ChevronUp, Plus, X } from "lucide-react";
import type { Tree } from "../../json";
import { Button, IconButton } from "../../ui/Button";
import { Visible } from "../../ui/Visible";
import { format } from "../../words";
import { spelled } from "../../words/unseen";
import { pointerOf } from "../edit";
import { emptyOf, labelOf, resolve } from "../schema";
import type { FieldProps } from "./field";
import { Absent } from "./ObjectField";

/** A list: entries can be changed, moved, added and removed. */
export function ListField({ context, path, name, schema, value, required, top }: FieldProps) {
  const { AnyField } = context;
  const label = top && !name ? schema.title || "Entries" : labelOf(name, schema);
  if (value === undefined) return <Absent label={label} schema={schema} context={context} path={path} />;
  const items = value.kind === "array" ? value.items : [];
  const item = resolve(schema.items, context.root);
  const error = context.faults.get(pointerOf(path));
  const put = (next: Tree[]) => context.set(path, { kind: "array", items: next });
  const move = (i: number, by: number) => {
    const next = [...items];
    const [one] = next.splice(i, 1);
    if (one) next.splice(i + by, 0, one);
    put(next);
  };
  // A new entry follows its neighbours if the schema does not define its type.
  const model = items[0] && Object.keys(item).length === 0 ? { type: typeOf(items[0]) } : item;
  return (
    <fieldset className="mb-2 min-w-0 rounded-sm border p-3">
      <legend className="-ml-1 flex items-center gap-1 px-1 text-small font-medium">
        <Visible text={label} />{" "}
        <span className="font-normal text-muted">({format.plural(items.length, "entry", "entries")})</span>
        {!required && !top && (
          <IconButton
            label={spelled(`Leave out ${label}`)}
            className="size-6"
            onClick={() => context.set(path, undefined)}
          >
            <X />
          </IconButton>
        )}
      </legend>
      {schema.description && (
        <p className="mb-1 text-small text-muted">
          <Visible text={schema.description} />
        </p>
      )}
      <ol className="space-y-1">
        {items.map((one, i) => (
          <li key={i} className="flex min-w-0 items-start gap-1">
            <div className="min-w-0 flex-1">
              <AnyField
                context={context}
                path={[...path, i]}
                name={`${i + 1}`}
                schema={item.title ? { ...item, title: `${item.title} ${i + 1}` } : item}
                value={one}
                required
                entry
              />
            </div>
            <div className="mt-1 flex shrink-0">
              <IconButton label={`Move ${i + 1} up`} disabled={i === 0} onClick={() => move(i, -1)}>
                <ChevronUp />
              </IconButton>
              <IconButton label={`Move ${i + 1} down`} disabled={i === items.length - 1} onClick={() => move(i, 1)}>
                <ChevronDown />
              </IconButton>
              <IconButton label={`Take ${i + 1} out`} onClick={() => put(items.filter((_, j) => j !== i))}>
                <X />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      {error && <p className="text-small text-bad-text">{error}</p>}
      <Button
        look="ghost"
        size="small"
        className="-ml-2"
        disabled={context.disabled || (schema.maxItems !== undefined && items.length >= schema.maxItems)}
        onClick={() => put([...items, emptyOf(model, context.root)])}
      >
        <Plus /> Add an entry
      </Button>
    </fieldset>
  );
}

function typeOf(tree: Tree): string {
  if (tree.kind !== "literal") return tree.kind;
  return tree.text === "null" ? "string" : "boolean";
}
