import type { Fault } from "../api/types";
import { compact, type Tree } from "../json";
import { format } from "../words";
import { isNumber, type Path, pointerOf, treeOfValue } from "./edit";
import { memberSchema, resolve, type Schema } from "./schema";

/** Errors by place (JSON pointer), shown while the user types. The server has the last word. */
export type Faults = ReadonlyMap<string, string>;

export function check(tree: Tree, schema: Schema): Faults {
  const out = new Map<string, string>();
  const root = schema;
  const visit = (value: Tree, raw: Schema | boolean | undefined, path: Path) => {
    const here = resolve(raw, root);
    const fault = faultOf(value, here);
    if (fault) out.set(pointerOf(path), fault);
    if (value.kind === "object") {
      for (const key of here.required ?? []) {
        if (!value.members.some((m) => m.key === key)) out.set(pointerOf([...path, key]), "This is needed.");
      }
      for (const m of value.members) {
        const known = here.properties?.[m.key] !== undefined;
        if (!known && here.additionalProperties === false)
          out.set(pointerOf([...path, m.key]), "This field is not allowed here.");
        visit(m.value, memberSchema(here, m.key, root), [...path, m.key]);
      }
    }
    if (value.kind === "array") for (const [i, item] of value.items.entries()) visit(item, here.items, [...path, i]);
  };
  visit(tree, schema, []);
  return out;
}

function faultOf(value: Tree, s: Schema): string | undefined {
  if (s.enum && !s.enum.some((one) => compact(treeOfValue(one)) === compact(value))) {
    if (value.kind !== "number") return "Choose one of the values.";
  }
  switch (value.kind) {
    case "number":
      return numberFault(value.text, s);
    case "string":
      return textFault(value.value, s);
    case "array":
      if (s.minItems !== undefined && value.items.length < s.minItems)
        return `At least ${format.plural(s.minItems, "entry", "entries")}.`;
      if (s.maxItems !== undefined && value.items.length > s.maxItems)
        return `At most ${format.plural(s.maxItems, "entry", "entries")}.`;
      return undefined;
    default:
      return undefined;
  }
}

function numberFault(typed: string, s: Schema): string | undefined {
  if (typed === "") return "A number is needed.";
  if (!isNumber(typed)) return "This is not a number. Write it like 1234.50.";
  const n = Number(typed);
  const types = [s.type].flat();
  if (types.includes("integer") && !types.includes("number") && !Number.isInteger(n))
    return "A whole number is needed.";
  if (s.minimum !== undefined && n < s.minimum) return `At least ${s.minimum}.`;
  if (s.maximum !== undefined && n > s.maximum) return `At most ${s.maximum}.`;
  if (s.exclusiveMinimum !== undefined && n <= s.exclusiveMinimum) return `More than ${s.exclusiveMinimum}.`;
  if (s.exclusiveMaximum !== undefined && n >= s.exclusiveMaximum) return `Less than ${s.exclusiveMaximum}.`;
  return undefined;
}

function textFault(value: string, s: Schema): string | undefined {
  const length = [...value].length;
  if (s.minLength !== undefined && length < s.minLength) {
    return length === 0 ? "This is needed." : `At least ${format.plural(s.minLength, "character")}.`;
  }
  if (s.maxLength !== undefined && length > s.maxLength) {
    return `At most ${format.plural(s.maxLength, "character")}; these are ${format.count(length)}.`;
  }
  if (s.pattern !== undefined && !matches(value, s.pattern)) return `This has to match ${s.pattern}.`;
  if (s.format === "email" && !/^\S+@\S+$/.test(value)) return "This is not an e-mail address.";
  if (s.format === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(value)) return "A date like 2026-01-31 is needed.";
  return undefined;
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true; // written for another regex engine: the server decides
  }
}

/** Errors reported by the server, by field. */
export function faultsOf(errors: readonly Fault[]): Faults {
  const out = new Map<string, string>();
  for (const { path, message } of errors) {
    // A missing property is reported at its parent.
    const missing = /^the property "(.+)" is missing$/.exec(message)?.[1];
    if (missing !== undefined) out.set(path + pointerOf([missing]), "This is needed.");
    else out.set(path, message.charAt(0).toUpperCase() + message.slice(1));
  }
  return out;
}
