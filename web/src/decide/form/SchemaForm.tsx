import type { Tree } from "../../json";
import type { Faults } from "../check";
import { setAt } from "../edit";
import { resolve, type Schema } from "../schema";
import { AnyField } from "./AnyField";
import type { FormContext } from "./field";

/** A form generated from a JSON Schema, or from the value itself if there is none. Numbers stay as typed. */
export function SchemaForm({
  tree,
  schema,
  faults,
  onChange,
  onBroken,
  disabled = false,
}: {
  tree: Tree;
  schema: Schema;
  faults: Faults;
  onChange: (tree: Tree) => void;
  onBroken: (pointer: string, message: string | undefined) => void;
  disabled?: boolean;
}) {
  const context: FormContext = {
    root: schema,
    faults,
    disabled,
    broken: onBroken,
    AnyField,
    set: (path, value) => onChange(setAt(tree, path, value)),
  };
  return <AnyField context={context} path={[]} name="" schema={resolve(schema, schema)} value={tree} required top />;
}
