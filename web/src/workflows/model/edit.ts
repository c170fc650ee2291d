import { insertAt, NotEditable, type Order, type Path, removeAt, setAt } from "../../yaml/splice";
import {
  type Deadline,
  type Doer,
  doerOf,
  type Flow,
  type GateDef,
  laterThan,
  needsOf,
  type Question,
  readFlow,
  type StepDef,
  spotOf,
} from "./flow";

/** The keys of a step, gate and workflow in the order in which people write them. */
export const stepOrder: Order = {
  keys: [
    "id",
    "title",
    "agent",
    "tool",
    "workflow",
    "needs",
    "if",
    "each",
    "width",
    "with",
    "human",
    "operation",
    "risk",
    "reversible_by",
    "effects",
    "timeout",
    "retry",
    "sample",
  ],
};
export const gateOrder: Order = {
  keys: [
    "id",
    "at",
    "when",
    "if_missing",
    "kind",
    "title",
    "description",
    "role",
    "roles",
    "assignees",
    "quorum",
    "requester",
    "show",
    "options",
    "input_schema",
    "acts",
    "on_reject",
    "revise",
    "timeout",
    "escalate",
    "remind",
    "pause_after",
    "auto_approvable",
    "notify",
  ],
};
const flowOrder: Order = {
  keys: [
    "workflow",
    "description",
    "subject",
    "labels",
    "owner_only",
    "input",
    "timeout",
    "stop_on_error",
    "confidence_threshold",
    "speculate",
    "snapshots",
    "ask",
    "loops",
    "notify",
    "hand_off",
    "sensitive",
    "steps",
    "gates",
    "output",
  ],
};

// The text that was read last: every field of a form looks up its place in the same one.
let last: { text: string; flow: Flow } | undefined;

/** Reads a text. Nothing here changes what it returns. */
function flowOf(text: string): Flow {
  if (last?.text === text) return last.flow;
  const { flow, error } = readFlow(text);
  if (!flow) throw new NotEditable(error?.message);
  last = { text, flow };
  return flow;
}

const indexOf = (flow: Flow, id: string): number => flow.steps.findIndex((s) => s.id === id);

/** A name that is free, from words: "Customer data" becomes customer_data. */
export function freeId(flow: Flow, wish: string): string {
  const taken = new Set([
    ...flow.steps.map((s) => s.id),
    ...flow.gates.map((g) => g.id),
    "input",
    "context",
    "item",
    "index",
  ]);
  const base =
    wish
      .replace(/^.*[:/]/, "")
      .replace(/[^A-Za-z0-9_-]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 56) || "step";
  if (!taken.has(base)) return base;
  for (let n = 2; ; n++) if (!taken.has(`${base}_${n}`)) return `${base}_${n}`;
}

export interface NewStep {
  doer: Doer;
  /** Of the agent, tool or workflow; the title of a human step. */
  name: string;
  with?: Record<string, unknown>;
}

/**
 * Where a step is added: between one and all that wait for it, between two, or between one and all that it waits for.
 * Neither: at the end.
 */
export interface Slot {
  after?: string;
  before?: string;
}

/** Adds a step, and returns its id as well. Only the steps of its slot are connected in another way. */
export function addStep(text: string, step: NewStep, slot: Slot = {}): { text: string; id: string } {
  const flow = flowOf(text);
  const id = freeId(flow, step.doer === "human" ? "ask" : step.name);
  const entry: Record<string, unknown> = { id };
  if (step.doer === "human") entry.human = { title: step.name };
  else entry[step.doer] = step.name;
  if (step.with && Object.keys(step.with).length > 0) entry.with = step.with;
  const at = indexOf(flow, slot.after ?? "");
  const next = indexOf(flow, slot.before ?? "");
  if (at >= 0) {
    const out = waitFor(text, flow, at, id, slot.before);
    return { text: insertAt(out, ["steps"], at + 1, entry, flowOrder), id };
  }
  if (next < 0) return { text: insertAt(text, ["steps"], flow.steps.length, entry, flowOrder), id };
  const needs = flow.steps[next]?.needs; // without them, it waits for the one before it: that is the new one
  const out = needs ? setAt(text, ["steps", next, "needs"], [id], stepOrder) : text;
  return { text: insertAt(out, ["steps"], next, needs ? { ...entry, needs } : entry, flowOrder), id };
}

/** Makes those that wait for a step, or only one of them, wait for a new one that will follow it in the text. */
function waitFor(text: string, flow: Flow, at: number, id: string, only?: string): string {
  const after = flow.steps[at]?.id as string;
  return flow.steps.reduce((out, step, i) => {
    const needs = needsOf(flow, i);
    if (!needs.includes(after)) return out;
    const implied = step.needs === undefined; // it is the next one, and waits for the one before it
    const moves = only === undefined || step.id === only;
    if (implied === moves) return out;
    const now = moves ? needs.map((n) => (n === after ? id : n)) : needs;
    return setAt(out, ["steps", i, "needs"], now, stepOrder);
  }, text);
}

/** Removes a step, its gates, and what waited for it: those wait for what it waited for. */
export function removeStep(text: string, id: string): string {
  const flow = flowOf(text);
  const at = indexOf(flow, id);
  if (at < 0) return text;
  const inherited = needsOf(flow, at);
  let out = text;
  flow.steps.forEach((step, i) => {
    if (i === at) return;
    const needs = needsOf(flow, i);
    const implied = step.needs === undefined;
    if (!needs.includes(id)) return;
    const now = [...new Set(needs.flatMap((n) => (n === id ? inherited : [n])))];
    // The one before it takes its place by itself.
    if (implied && now.length === 1 && now[0] === flow.steps[at - 1]?.id) return;
    if (implied && now.length === 0 && at === 0) return;
    out = setAt(out, ["steps", i, "needs"], now, stepOrder);
  });
  for (let g = flow.gates.length - 1; g >= 0; g--) {
    const spot = spotOf(flow.gates[g] as GateDef);
    if ((spot.place === "before" || spot.place === "after") && spot.of === id) out = removeAt(out, ["gates", g]);
  }
  return removeAt(out, ["steps", at]);
}

/** Whether one step would wait for itself if it waited for another. */
export function wouldCircle(flow: Flow, from: string, to: string): boolean {
  return from === to || laterThan(flow, to).has(from);
}

/** Makes one step wait for another. */
export function connect(text: string, from: string, to: string): string {
  const flow = flowOf(text);
  const at = indexOf(flow, to);
  const needs = needsOf(flow, at);
  if (at < 0 || needs.includes(from) || wouldCircle(flow, from, to)) return text;
  return setNeeds(text, to, [...needs, from]);
}

export function disconnect(text: string, from: string, to: string): string {
  const flow = flowOf(text);
  return setNeeds(
    text,
    to,
    needsOf(flow, indexOf(flow, to)).filter((n) => n !== from),
  );
}

export function setNeeds(text: string, id: string, needs: string[]): string {
  const flow = flowOf(text);
  const at = indexOf(flow, id);
  const step = flow.steps[at];
  if (!step) return text;
  const implied = flow.steps[at - 1] ? [(flow.steps[at - 1] as StepDef).id] : [];
  const same = needs.length === implied.length && needs.every((n, i) => n === implied[i]);
  if (same && step.needs === undefined) return text;
  return setAt(text, ["steps", at, "needs"], same ? undefined : needs, stepOrder);
}

/** Sets a field of a step; undefined removes it. */
export function setStep(text: string, id: string, path: Path, value: unknown): string {
  const at = indexOf(flowOf(text), id);
  return at < 0 ? text : setAt(text, ["steps", at, ...path], value, stepOrder);
}

export function setGate(text: string, id: string, path: Path, value: unknown): string {
  const at = flowOf(text).gates.findIndex((g) => g.id === id);
  return at < 0 ? text : setAt(text, ["gates", at, ...path], value, gateOrder);
}

export function setFlow(text: string, path: Path, value: unknown): string {
  return setAt(text, path, value, flowOrder);
}

/** Sets a field of the people between layers, who may be written as a single word; without `when` there are none. */
export function setHumanLoop(text: string, path: Path, value: unknown): string {
  const { human } = (flowOf(text).all.loops ?? {}) as { human?: unknown };
  const object = typeof human === "object" && human !== null;
  if (path[0] === "when" && (value === undefined || !object)) return setFlow(text, ["loops", "human"], value);
  if (object) return setFlow(text, ["loops", "human", ...path], value);
  if (value === undefined) return text;
  const inner = path.toReversed().reduce<unknown>((below, key) => ({ [key]: below }), value) as object;
  return setFlow(text, ["loops", "human"], { ...(human === undefined ? {} : { when: human }), ...inner });
}

/** Turns one value into another by changing only the places where they differ: comments elsewhere in it stay. */
export function setChanged(text: string, path: Path, from: unknown, to: unknown, order: Order = {}): string {
  if (JSON.stringify(from) === JSON.stringify(to)) return text;
  const both = isMap(from) && isMap(to) && Object.keys(from).some((key) => key in to);
  if (!both) return setAt(text, path, to, order);
  let out = text;
  for (const [key, value] of Object.entries(to)) out = setChanged(out, [...path, key], from[key], value, order);
  for (const key of Object.keys(from)) if (!(key in to)) out = removeAt(out, [...path, key]);
  return out;
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The path of a gate's question, or of a human step's. */
export type At = (text: string) => Path | undefined;
export const gateAt =
  (id: string): At =>
  (text) => {
    const at = flowOf(text).gates.findIndex((g) => g.id === id);
    return at < 0 ? undefined : ["gates", at];
  };
export const humanAt =
  (id: string): At =>
  (text) => {
    const at = indexOf(flowOf(text), id);
    return at < 0 ? undefined : ["steps", at, "human"];
  };

/** Sets a value below a question; undefined removes it. */
export function setBelow(text: string, at: At, path: Path, value: unknown): string {
  const base = at(text);
  return base ? setAt(text, [...base, ...path], value, gateOrder) : text;
}

/** Adds an element to a list below a question; the list is made if there is none. */
export function addBelow(text: string, at: At, path: Path, value: unknown): string {
  const base = at(text);
  return base ? insertAt(text, [...base, ...path], Number.MAX_SAFE_INTEGER, value, gateOrder) : text;
}

/** Removes one of several elements of a list below a question; the list is removed with its last one. */
export function dropBelow(text: string, at: At, path: Path, index: number, of: number): string {
  const base = at(text);
  if (!base) return text;
  return removeAt(text, of === 1 ? [...base, ...path] : [...base, ...path, index]);
}

/** Adds a gate and returns its id. */
export function addGate(text: string, at: string, title: string): { text: string; id: string } {
  const flow = flowOf(text);
  const { place, of } = spotOf({ id: "", at });
  const id = freeId(flow, of ? `${of}_review` : place === "start" ? "start_review" : "final_review");
  return { text: insertAt(text, ["gates"], flow.gates.length, { id, at, title }, flowOrder), id };
}

export function removeGate(text: string, id: string): string {
  const { gates } = flowOf(text);
  const at = gates.findIndex((g) => g.id === id);
  return at < 0 ? text : removeAt(text, gates.length === 1 ? ["gates"] : ["gates", at]);
}

/** Gives a gate another name, everywhere its answer is used. */
export function renameGate(text: string, old: string, name: string): string {
  const flow = flowOf(text);
  const at = flow.gates.findIndex((g) => g.id === old);
  if (at < 0 || old === name) return text;
  return mentions(flow).reduce(
    (out, { path, value }) =>
      reworded(out, path, value, (word) => {
        const [head, second, ...rest] = word.split(/(?=[.[])/);
        return head === "context" && second === `.${old}` ? [head, `.${name}`, ...rest].join("") : word;
      }),
    setAt(text, ["gates", at, "id"], name),
  );
}

/** Every text of a workflow that may use the output of a step or the answer at a gate. */
function mentions(flow: Flow): { path: Path; value: unknown }[] {
  const question = (path: Path, asked: Question) => [
    { path: [...path, "when"], value: asked.when },
    ...(Array.isArray(asked.show) ? asked.show : []).map((value, k) => ({ path: [...path, "show", k], value })),
  ];
  return [
    ...flow.steps.flatMap((step, i) => [
      { path: ["steps", i, "if"], value: step.if },
      { path: ["steps", i, "each"], value: step.each },
      ...Object.entries(step.with ?? {}).map(([field, value]) => ({ path: ["steps", i, "with", field], value })),
      ...(step.human ? question(["steps", i, "human"], step.human) : []),
    ]),
    ...flow.gates.flatMap((gate, i) => question(["gates", i], gate)),
    ...Object.entries(flow.output ?? {}).map(([field, value]) => ({ path: ["output", field], value })),
  ];
}

/** Gives a step another name, everywhere it is mentioned. */
export function renameStep(text: string, old: string, name: string): string {
  const flow = flowOf(text);
  const at = indexOf(flow, old);
  if (at < 0 || old === name) return text;
  let out = setAt(text, ["steps", at, "id"], name);
  flow.steps.forEach((step, i) => {
    step.needs?.forEach((need, k) => {
      if (need === old) out = setAt(out, ["steps", i, "needs", k], name);
    });
    if (step.human?.revise === old) out = setAt(out, ["steps", i, "human", "revise"], name);
  });
  flow.gates.forEach((gate, i) => {
    const { place, of } = spotOf(gate);
    if ((place === "before" || place === "after") && of === old)
      out = setAt(out, ["gates", i, "at"], `${place} ${name}`);
    if (gate.revise === old) out = setAt(out, ["gates", i, "revise"], name);
  });
  for (const { path, value } of mentions(flow)) {
    if (path[0] === "steps" && path[1] === at) continue;
    out = reworded(out, path, value, (word) => {
      const [head = "", ...rest] = word.split(/(?=[.[])/);
      return head === old ? name + rest.join("") : word;
    });
  }
  const { sensitive } = flow.all;
  (Array.isArray(sensitive) ? sensitive : []).forEach((place, k) => {
    const [steps, id, ...rest] = String(place).split(".");
    if (steps === "steps" && id === old) out = setAt(out, ["sensitive", k], [steps, name, ...rest].join("."));
  });
  return out;
}

/** Changes the paths in an expression, and nothing in its quoted texts. */
function reworded(text: string, path: Path, value: unknown, change: (word: string) => string): string {
  if (typeof value !== "string") return text;
  const now = value.replace(/"(?:[^"\\]|\\.)*"|[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*/g, (word) =>
    word.startsWith('"') ? word : change(word),
  );
  return now === value ? text : setAt(text, path, now);
}

/** A new workflow without steps. */
export function blank(name: string, description: string): string {
  const lines = [`workflow: ${name}`];
  if (description) lines.push(`description: ${JSON.stringify(description)}`);
  return `${lines.join("\n")}\nsteps: []\n`;
}

/** The text of a template under another name. */
export function renamed(text: string, name: string): string {
  return setAt(text, ["workflow"], name);
}

export const doerName = (step: StepDef): string =>
  doerOf(step) === "human" ? String(step.human?.role ?? "") : String(step.tool ?? step.workflow ?? step.agent ?? "");

/** A deadline. (An object literal with a key "then" looks like a promise.) */
export const deadline = (after: string, then: string): Deadline =>
  Object.fromEntries(Object.entries({ after }).concat([["then", then]]));
