import type { Tree } from "../../json";
import type { Faults } from "../check";
import { type Path, setAt } from "../edit";
import { resolve, type Schema } from "../schema";
import { AnyField } from "./AnyField";

/** What every field needs to know. */
export interface FormContext {
  root: Schema;
  faults: Faults;
  /** Sets the value at a path; undefined leaves the field out. */
  set: (path: Path, value: Tree | undefined) => void;
  /** Says that a field holds text that is no value (yet). */
  broken: (pointer: string, message: string | undefined) => void;
  disabled: boolean;
}

/** A form made from a JSON Schema, or from the value itself where there is none. Numbers stay as they are typed. */
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
    set: (path, value) => onChange(setAt(tree, path, value)),
  };
  return <AnyField context={context} path={[]} name="" schema={resolve(schema, schema)} value={tree} required top />;
}
