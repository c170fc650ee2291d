import { type LineCounter, LineCounter as Lines, parseDocument } from "yaml";
import { parsed } from "../../yaml/splice";

/** A JSON Schema, as far as the editor reads it. */
export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  [key: string]: unknown;
}

export interface Deadline {
  after?: string;
  then?: string;
  default?: unknown;
  irreversible?: boolean;
}

/** A question to people, as gates and human steps put it. */
export interface Question {
  kind?: string;
  title?: string;
  description?: string;
  role?: string;
  roles?: Record<string, number>;
  assignees?: string[];
  quorum?: number;
  when?: string;
  on_reject?: string;
  timeout?: Deadline;
  options?: { value: string; label?: string; description?: string }[];
  input_schema?: Schema;
  show?: string[];
  acts?: string[];
  revise?: string;
  requester?: string;
  if_missing?: string;
  escalate?: { after?: string; to?: string }[];
  remind?: string | number;
  pause_after?: string | number;
  auto_approvable?: boolean;
  notify?: { channels?: string | string[]; recipients?: string | string[]; only?: boolean; urgency?: string };
}

export interface GateDef extends Question {
  id: string;
  at: string;
}

export type Doer = "agent" | "tool" | "workflow" | "human";

export interface StepDef {
  id: string;
  agent?: string;
  tool?: string;
  workflow?: string;
  human?: Question;
  needs?: string[];
  if?: string;
  with?: Record<string, unknown>;
  each?: string;
  width?: number;
  timeout?: string;
  retry?: { max?: number; backoff?: string; factor?: number; max_backoff?: string };
  operation?: string;
  risk?: string;
  title?: string;
  sample?: unknown;
  effects?: string;
  reversible_by?: string;
  [key: string]: unknown;
}

/** A workflow as the text says it. */
export interface Flow {
  name: string;
  description: string;
  input?: Schema;
  output?: Record<string, unknown>;
  steps: StepDef[];
  gates: GateDef[];
  all: Record<string, unknown>;
}

export interface Read {
  flow?: Flow;
  /** Why the text is not YAML. */
  error?: { message: string; line: number };
}

const list = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((v) => typeof v === "object" && v !== null && !Array.isArray(v)) : [];
const words = (value: unknown): string[] | undefined => (Array.isArray(value) ? value.map(String) : undefined);

/** Reads a text. What is not as it should be is left out: the server says what is wrong. */
export function readFlow(text: string): Read {
  const doc = parsed(text);
  const [error] = doc.errors;
  if (error) {
    return {
      error: { message: error.message.split(" at line")[0]?.split("\n")[0] ?? "", line: error.linePos?.[0].line ?? 1 },
    };
  }
  let all: unknown;
  try {
    all = doc.toJS({ maxAliasCount: 0 });
  } catch {
    return { error: { message: "Aliases cannot be used here", line: 1 } };
  }
  if (typeof all !== "object" || all === null || Array.isArray(all)) {
    return { error: { message: "A workflow begins with “workflow: name”", line: 1 } };
  }
  const top = all as Record<string, unknown>;
  return {
    flow: {
      name: String(top.workflow ?? ""),
      description: String(top.description ?? ""),
      input: typeof top.input === "object" && top.input ? (top.input as Schema) : undefined,
      output: typeof top.output === "object" && top.output ? (top.output as Record<string, unknown>) : undefined,
      steps: list(top.steps).map((s) => ({ ...s, id: String(s.id ?? ""), needs: words(s.needs) }) as StepDef),
      gates: list(top.gates).map((g) => ({ ...g, id: String(g.id ?? ""), at: String(g.at ?? "") }) as GateDef),
      all: top,
    },
  };
}

export const doerOf = (step: StepDef): Doer =>
  step.tool !== undefined
    ? "tool"
    : step.workflow !== undefined
      ? "workflow"
      : step.human !== undefined
        ? "human"
        : "agent";

/** The steps that a step waits for: those it names, or the one before it. */
export function needsOf(flow: Flow, index: number): string[] {
  const step = flow.steps[index];
  if (!step) return [];
  if (step.needs) return step.needs;
  const before = flow.steps[index - 1];
  return before ? [before.id] : [];
}

/** All steps that have to be done before one, the nearest first. */
export function earlier(flow: Flow, id: string): string[] {
  const found: string[] = [];
  const index = new Map(flow.steps.map((s, i) => [s.id, i]));
  const queue = [id];
  while (queue.length > 0) {
    const i = index.get(queue.shift() as string);
    if (i === undefined) continue;
    for (const need of needsOf(flow, i)) {
      if (need !== id && !found.includes(need) && index.has(need)) {
        found.push(need);
        queue.push(need);
      }
    }
  }
  return found;
}

/** All steps that wait for one, directly or through others. */
export function laterThan(flow: Flow, id: string): Set<string> {
  const waiting = new Map<string, string[]>();
  flow.steps.forEach((step, i) => {
    for (const need of needsOf(flow, i)) waiting.set(need, [...(waiting.get(need) ?? []), step.id]);
  });
  const found = new Set<string>();
  const queue = [id];
  while (queue.length > 0) {
    for (const next of waiting.get(queue.pop() as string) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return found;
}

/** Where a gate stands: its place and the step or tool it is about. */
export function spotOf(gate: GateDef): { place: string; of: string } {
  const [place = "", of = ""] = gate.at.trim().split(/\s+/);
  return { place, of };
}

export interface Problem {
  path: string;
  message: string;
  line?: number;
  column?: number;
  warning?: boolean;
}

/** The step or gate that a problem is about, by its path or, failing that, its line. */
export function subjectOf(
  problem: Problem,
  flow: Flow | undefined,
  lines: Lined,
): { kind: "step" | "gate"; id: string } | undefined {
  const match = /^\/?(steps|gates)(?:\[|\/|\.)(\d+)/.exec(problem.path);
  if (match && flow) {
    const kind = match[1] === "steps" ? "step" : "gate";
    const id = (kind === "step" ? flow.steps : flow.gates)[Number(match[2])]?.id;
    return id === undefined ? undefined : { kind, id };
  }
  if (problem.line === undefined) return undefined;
  const at = lines.find((l) => problem.line !== undefined && l.from <= problem.line && problem.line <= l.to);
  return at && { kind: at.kind, id: at.id };
}

/** What is wrong with a value, or with something in it, at a path such as ["loops", "human", "role"]. */
export function faultIn(problems: readonly Problem[], path: readonly (string | number)[]): string | undefined {
  const at = path.reduce<string>((text, key) => text + (typeof key === "number" ? `[${key}]` : `.${key}`), "").slice(1);
  const found = problems.find(
    (p) => !p.warning && (p.path === at || p.path.startsWith(`${at}.`) || p.path.startsWith(`${at}[`)),
  );
  return found && found.message.charAt(0).toUpperCase() + found.message.slice(1);
}

export type Lined = { kind: "step" | "gate"; id: string; from: number; to: number }[];

/** The lines of each step and gate. */
export function linesOf(text: string): Lined {
  const counter: LineCounter = new Lines();
  const doc = parseDocument(text, { lineCounter: counter });
  const out: Lined = [];
  for (const [key, kind] of [["steps", "step"] as const, ["gates", "gate"] as const]) {
    const items = (doc.get(key) as { items?: { range?: [number, number, number]; get?: (k: string) => unknown }[] })
      ?.items;
    for (const item of Array.isArray(items) ? items : []) {
      if (!item?.range) continue;
      const end = Math.max(item.range[0], item.range[1] - 1);
      out.push({
        kind,
        id: String(item.get?.("id") ?? ""),
        from: counter.linePos(item.range[0]).line,
        to: counter.linePos(end).line,
      });
    }
  }
  return out;
}
