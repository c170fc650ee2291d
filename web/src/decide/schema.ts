import { plain, type Raw, type Tree, treeOf } from "../json";
import { format } from "../words";
import { literal, number, object, text, treeOfValue } from "./edit";

/** The part of JSON Schema that forms support; the server checks all of it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema | boolean>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema | boolean;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  allOf?: (Schema | boolean)[];
  anyOf?: (Schema | boolean)[];
  oneOf?: (Schema | boolean)[];
  [more: string]: unknown;
}

/** A schema from the API; an empty one if there is none. */
export function schemaOf(raw: Raw | null | undefined): Schema {
  const value = plain<Schema | boolean>(raw);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

const depthMax = 16; // references may be circular

/** A schema with references resolved, allOf merged, and "this or null" without the null. */
export function resolve(schema: Schema | boolean | undefined, root: Schema, depth = 0): Schema {
  if (typeof schema !== "object" || schema === null || depth > depthMax) return {};
  let out = schema;
  if (typeof out.$ref === "string") {
    const { $ref, ...rest } = out;
    out = { ...resolve(follow($ref, root), root, depth + 1), ...rest };
  }
  for (const part of out.allOf ?? []) out = merge(out, resolve(part, root, depth + 1));
  const either = out.anyOf ?? out.oneOf;
  const choices = either?.filter((s) => !(typeof s === "object" && s.type === "null"));
  if (choices?.length === 1 && either !== undefined) {
    out = merge(out, resolve(choices[0], root, depth + 1));
    out = { ...out, anyOf: undefined, oneOf: undefined };
  }
  return out;
}

function merge(a: Schema, b: Schema): Schema {
  return {
    ...b,
    ...a,
    properties: a.properties || b.properties ? { ...b.properties, ...a.properties } : undefined,
    required: [...(b.required ?? []), ...(a.required ?? [])],
  };
}

function follow(ref: string, root: Schema): Schema | undefined {
  if (!ref.startsWith("#")) return undefined;
  let here: unknown = root;
  for (const part of decodeURIComponent(ref.slice(1)).split("/").slice(1)) {
    here = (here as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return here as Schema | undefined;
}

/** "claim.claim_id" → "claim_id": words already in a member's own name are not repeated. */
function unrepeated(path: string): string {
  const parts = path.split(".");
  return parts.filter((part, i) => !parts[i + 1]?.startsWith(`${part}_`)).join(".");
}

/** The label of a field. */
export function labelOf(key: string, schema: Schema): string {
  return (schema.title?.trim() && schema.title) || format.title(unrepeated(key)) || key;
}

/** The schema of a member. */
export function memberSchema(schema: Schema, key: string, root: Schema): Schema {
  const own = schema.properties?.[key];
  if (own !== undefined) return resolve(own, root);
  return typeof schema.additionalProperties === "object" ? resolve(schema.additionalProperties, root) : {};
}

/** The schema at a JSON pointer, and the labels along the path. */
export function placeOf(pointer: string, root: Schema): { schema: Schema; labels: string[] } {
  let schema = resolve(root, root);
  const labels: string[] = [];
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (schema.items !== undefined && /^\d+$/.test(key)) {
      schema = resolve(schema.items, root);
      labels.push(`no. ${Number(key) + 1}`);
    } else {
      schema = memberSchema(schema, key, root);
      labels.push(/^\d+$/.test(key) ? `no. ${Number(key) + 1}` : labelOf(key, schema));
    }
  }
  return { schema, labels };
}

export type FieldKind = "text" | "longtext" | "number" | "boolean" | "enum" | "object" | "array" | "json";

/** How a value is edited: by the type the schema allows, else by the current value. */
export function kindOf(schema: Schema, value: Tree | undefined): FieldKind {
  if (schema.enum && schema.enum.length > 0) return "enum";
  if (schema.anyOf || schema.oneOf) return value ? byValue(schema, value) : "json";
  const types = (Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : []).filter(
    (t) => t !== "null",
  );
  if (types.length > 1)
    return value && !(value.kind === "literal" && value.text === "null") ? byValue(schema, value) : "json";
  switch (types[0] ?? (schema.properties ? "object" : schema.items !== undefined ? "array" : undefined)) {
    case "string":
      return isLong(schema, value) ? "longtext" : "text";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      return "object";
    case "array":
      return "array";
    default:
      return value ? byValue(schema, value) : "json";
  }
}

function byValue(schema: Schema, value: Tree): FieldKind {
  switch (value.kind) {
    case "string":
      return isLong(schema, value) ? "longtext" : "text";
    case "literal":
      return value.text === "null" ? "json" : "boolean";
    default:
      return value.kind;
  }
}

function isLong(schema: Schema, value: Tree | undefined): boolean {
  if (schema.format && schema.format !== "markdown" && schema.format !== "textarea") return false;
  if (schema.format || (schema.maxLength ?? 0) > 300) return true;
  return value?.kind === "string" && (value.value.includes("\n") || value.value.length > 90);
}

/** The initial value: the default, or the emptiest value that the schema allows. */
export function emptyOf(schema: Schema, root: Schema): Tree {
  if (schema.default !== undefined) return treeOfValue(schema.default);
  if (schema.const !== undefined) return treeOfValue(schema.const);
  switch (kindOf(schema, undefined)) {
    case "enum":
      return treeOfValue(schema.enum?.[0]);
    case "number":
      return number("");
    case "boolean":
      return literal(false);
    case "array":
      return { kind: "array", items: [] };
    case "object": {
      const members = (schema.required ?? [])
        .filter((key) => schema.properties?.[key] !== undefined)
        .map((key) => ({ key, keyText: JSON.stringify(key), value: emptyOf(memberSchema(schema, key, root), root) }));
      return { ...object(), members } as Tree;
    }
    default:
      return text("");
  }
}

/** A form starts with known values and defaults; fields that the user has to fill in are not set. */
export function prefilled(proposed: Tree, schema: Schema): Tree {
  if (schema.type !== undefined && schema.type !== "object") return proposed;
  const members = proposed.kind === "object" ? proposed.members : [];
  const known = members.filter((m) => schema.properties?.[m.key] !== undefined);
  const nulls = known.filter((m) => m.value.kind === "literal" && m.value.text === "null");
  const missing = Object.keys(schema.properties ?? {}).filter((key) => !known.some((m) => m.key === key));
  const defaults = missing.flatMap((key) => {
    const { default: value } = memberSchema(schema, key, schema);
    return value === undefined ? [] : [{ key, keyText: JSON.stringify(key), value: treeOf(JSON.stringify(value)) }];
  });
  return { kind: "object", members: [...known.filter((m) => !nulls.includes(m)), ...defaults] };
}
