import type { ComponentType } from "react";
import type { Tree } from "../../json";
import type { Faults } from "../check";
import type { Path } from "../edit";
import type { Schema } from "../schema";

/** Shared by all fields of a form. */
export interface FormContext {
  root: Schema;
  faults: Faults;
  /** Sets the value at a path; undefined unsets the field. */
  set: (path: Path, value: Tree | undefined) => void;
  /** Reports that a field contains text that is not a valid value (yet). */
  broken: (pointer: string, message: string | undefined) => void;
  disabled: boolean;
  /** The field for any schema: objects and lists show their members with it. */
  AnyField: ComponentType<FieldProps>;
}

export interface FieldProps {
  context: FormContext;
  path: Path;
  name: string;
  schema: Schema;
  value: Tree | undefined;
  required: boolean;
  /** The outermost value has neither a frame nor a label. */
  top?: boolean;
  /** An entry of a list: its number is read out, not shown. */
  entry?: boolean;
}
