import type { Tree } from "../../json";
import type { Faults } from "../check";
import { type Path, setAt } from "../edit";
import { resolve, type Schema } from "../schema";
import { AnyField } from "./AnyField";

/** Shared by all fields of a form. */
export interface FormContext {
  root: Schema;
  faults: Faults;
  /** Sets the value at a path; undefined unsets the field. */
  set: (path: Path, value: Tree | undefined) => void;
  /** Reports that a field contains text that is not a valid value (yet). */
  broken: (pointer: string, message: string | undefined) => void;
  disabled: boolean;
}

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
    set: (path, value) => onChange(setAt(tree, path, value)),
  };
  return <AnyField context={context} path={[]} name="" schema={resolve(schema, schema)} value={tree} required top />;
}
