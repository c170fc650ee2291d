import type { Document, Tool } from "../../api/types";
import { plain } from "../../json";
import { doerName, type NewStep, setStep } from "./edit";
import { type Doer, doerOf, earlier, type Flow, type Schema, type StepDef } from "./flow";

/** Something that a step can use. */
export interface Offer {
  doer: Doer;
  name: string;
  description: string;
  input?: Schema;
  output?: Schema;
  risk?: string;
  operation?: string;
}

export type Catalog = readonly Offer[];

/** Everything that steps can use: agents, tools and other workflows. */
export function catalogOf(tools: readonly Tool[], workflows: readonly Document[], self: string): Offer[] {
  const offers: Offer[] = [];
  for (const tool of tools) {
    if (tool.agents_only) continue;
    const agent = tool.name.startsWith("agent:");
    const definition = plain<AgentDefinition>(tool.definition);
    offers.push({
      doer: agent ? "agent" : "tool",
      name: agent ? tool.name.slice("agent:".length) : tool.name,
      description: tool.description,
      input: plain<Schema>(tool.args_schema) ?? definition?.input,
      output: plain<Schema>(tool.output_schema) ?? definition?.output ?? (agent ? sampled(definition) : undefined),
      risk: tool.risk,
      operation: tool.operation,
    });
  }
  for (const workflow of workflows) {
    if (workflow.name === self) continue;
    const definition = plain<{ description?: string; input?: Schema }>(workflow.definition);
    offers.push({
      doer: "workflow",
      name: workflow.name,
      description: definition?.description ?? "",
      input: definition?.input,
    });
  }
  return offers;
}

interface AgentDefinition {
  input?: Schema;
  output?: Schema;
  sample?: unknown;
  answers?: { output?: unknown }[];
}

/** The schema of an agent's sample, or of its first scripted answer. */
function sampled(definition: AgentDefinition | null): Schema | undefined {
  const value = definition?.sample ?? definition?.answers?.find((a) => a.output !== undefined)?.output;
  return value === undefined ? undefined : schemaOf(value);
}

/** A schema that a value follows. */
export function schemaOf(value: unknown): Schema {
  if (Array.isArray(value)) return { type: "array", items: value.length > 0 ? schemaOf(value[0]) : undefined };
  if (typeof value === "object" && value !== null)
    return { type: "object", properties: Object.fromEntries(Object.entries(value).map(([k, v]) => [k, schemaOf(v)])) };
  return { type: value === null ? "null" : typeof value };
}

export const offerOf = (catalog: Catalog, step: StepDef): Offer | undefined =>
  catalog.find((offer) => offer.doer === doerOf(step) && offer.name === doerName(step));

export interface Field {
  name: string;
  type: string;
  required: boolean;
  title?: string;
}

export const typeOf = (schema: Schema | undefined): string =>
  schema === undefined
    ? ""
    : Array.isArray(schema.type)
      ? schema.type.join(" or ")
      : (schema.type ?? (schema.enum ? "string" : ""));

export function fieldsOf(schema: Schema | undefined): Field[] {
  const required = new Set(schema?.required);
  const known = Object.entries(schema?.properties ?? {}).map(([name, s]) => ({
    name,
    type: typeOf(s),
    required: required.has(name),
    title: s.title,
  }));
  const rest = [...required].filter((name) => !known.some((f) => f.name === name));
  return [...known, ...rest.map((name) => ({ name, type: "", required: true }))];
}

/** A value that a step can be given. */
export interface Source {
  path: string;
  type: string;
  /** The step that it comes from; "" is the run's input. */
  from: string;
}

const deepest = 3;

/** Everything that a step can be given: the fields of the run's input and of earlier steps, the nearest first. */
export function sourcesOf(flow: Flow, id: string, catalog: Catalog, seen: ReadonlyMap<string, unknown>): Source[] {
  const out: Source[] = [];
  for (const step of earlier(flow, id)) {
    const def = flow.steps.find((s) => s.id === step);
    const told = def && offerOf(catalog, def)?.output;
    const shown = seen.get(step);
    walk(out, step, told ?? (shown === undefined ? undefined : schemaOf(shown)), step, 0);
  }
  const own = flow.steps.find((s) => s.id === id);
  if (own?.each) out.push({ path: "item", type: "", from: "" }, { path: "index", type: "integer", from: "" });
  walk(out, "input", flow.input ?? (seen.has("") ? schemaOf(seen.get("")) : undefined), "", 0);
  return out;
}

function walk(out: Source[], path: string, schema: Schema | undefined, from: string, depth: number): void {
  out.push({ path, type: typeOf(schema) || "object", from });
  if (depth >= deepest) return;
  for (const [key, inner] of Object.entries(schema?.properties ?? {})) {
    if (/^[\w-]+$/.test(key)) walk(out, `${path}.${key}`, inner, from, depth + 1);
  }
}

export interface Match {
  path: string;
  /** Whether it has the same name: such fields reach a step without a mapping. */
  exact: boolean;
  /** Why it was chosen, in words. */
  because: string;
}

const plainly = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const fits = (a: string, b: string): boolean =>
  a === "" || b === "" || a === b || (a === "number" && b === "integer") || (a === "integer" && b === "number");

/** The source that a field is most likely meant to have. */
export function matchOf(field: Field, sources: readonly Source[]): Match | undefined {
  const leaf = (path: string) => path.slice(path.lastIndexOf(".") + 1);
  const usable = sources.filter((s) => s.path.includes(".") && fits(field.type, s.type));
  const typed = (s: Source) => (field.type && s.type ? `, and both are ${field.type}` : "");
  const exact = usable.find((s) => leaf(s.path) === field.name);
  if (exact) return { path: exact.path, exact: true, because: `Same name${typed(exact)}` };
  const alike = usable.find((s) => plainly(leaf(s.path)) === plainly(field.name));
  if (alike) return { path: alike.path, exact: false, because: `Same name in another spelling${typed(alike)}` };
  const part = usable.find((s) => {
    const [a, b] = [plainly(leaf(s.path)), plainly(field.name)];
    return a.length > 2 && b.length > 2 && (a.endsWith(b) || b.endsWith(a) || a.startsWith(b) || b.startsWith(a));
  });
  return (
    part && {
      path: part.path,
      exact: false,
      because: `The names “${leaf(part.path)}” and “${field.name}” are similar${typed(part)}`,
    }
  );
}

/** Sources for the fields of a new step. Without a mapping, agents get all fields by name anyway; tools get nothing. */
export function mappingFor(offer: Offer, flow: Flow, id: string, catalog: Catalog): Record<string, string> {
  const sources = sourcesOf(flow, id, catalog, new Map());
  const out: Record<string, string> = {};
  for (const field of fieldsOf(offer.input)) {
    const match = matchOf(field, sources);
    if (match && (field.required || match.because.startsWith("Same name"))) out[field.name] = match.path;
  }
  return out;
}

/** Maps one field. A step without a mapping gets fields by name: with its first mapping, those are written down. */
export function mapField(
  text: string,
  step: StepDef,
  field: string,
  source: string | undefined,
  fields: readonly Field[],
  sources: readonly Source[],
): string {
  let out = text;
  if (step.with === undefined && source !== undefined && doerOf(step) !== "tool") {
    for (const other of fields) {
      const match = other.name === field ? undefined : matchOf(other, sources);
      if (match?.exact) out = setStep(out, step.id, ["with", other.name], match.path);
    }
  }
  return setStep(out, step.id, ["with", field], source);
}

/** Whether a step needs a mapping of its own: a tool always, an agent if a field it requires has another name elsewhere. */
export function needsMapping(offer: Offer, mapping: Record<string, string>): boolean {
  if (offer.doer === "tool") return true;
  return fieldsOf(offer.input).some((f) => f.required && mapping[f.name] && !mapping[f.name]?.endsWith(`.${f.name}`));
}

export const newStepOf = (offer: Offer): NewStep => ({ doer: offer.doer, name: offer.name });
