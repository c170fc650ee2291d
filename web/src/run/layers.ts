import type { Event, Run, Step } from "../api/types";
import { plain } from "../json";

/** What the agent in the loop was asked about the plan, and what it said. */
export interface Consultation {
  n: number;
  agent: string;
  /** The step whose failure it was about. */
  failed: string;
  at: string;
  /** Empty while it has not answered. */
  action: string;
  requirement: string;
  reasoning: string;
  summary: string;
  /** There was no usable answer in time. */
  fallback: boolean;
  /** Answers that could not be used. */
  unusable: number;
}

/** Steps that were added to the plan. */
export interface PlanChange {
  seq: number;
  added: string[];
  why: string;
  /** People changed the plan at the decision point. */
  atPoint: boolean;
}

/** A layer of the plan, and the decision point after it. */
export interface Layer {
  number: number;
  steps: Step[];
  consultations: Consultation[];
  changes: PlanChange[];
}

interface Told {
  layer?: number;
  n?: number;
  agent?: string;
  failed?: string;
  advice?: { action?: string; requirement?: string; reasoning?: string };
  fallback?: boolean;
  summary?: string;
  why?: string;
  at_point?: boolean;
  added?: string[];
  steps?: { id?: string }[];
}

/** The plan of a run, layer by layer, with what was said and changed after each. */
export function layersOf(run: Pick<Run, "steps">, events: Event[]): Layer[] {
  const layers = new Map<number, Layer>();
  const at = (number: number): Layer => {
    const found = layers.get(number) ?? { number, steps: [], consultations: [], changes: [] };
    layers.set(number, found);
    return found;
  };
  for (const step of run.steps) at(step.layer).steps.push(step);
  let current = Math.min(0, ...layers.keys());
  const asked = new Map<number, Consultation>();
  for (const event of events) {
    const data = plain<Told>(event.data) ?? {};
    if (event.type === "layer.started") current = data.layer ?? current;
    else if (event.type === "plan.changed") {
      const added = data.added ?? data.steps?.flatMap(({ id }) => (id ? [id] : [])) ?? [];
      const why = (data.why ?? "").replace(/^replan: |^command$/, "");
      at(current).changes.push({ seq: event.seq, added, why, atPoint: data.at_point === true });
    } else if (data.n !== undefined) consult(event, data, data.n, asked, at(current));
  }
  return [...layers.values()].filter(({ steps }) => steps.length > 0).sort((a, b) => a.number - b.number);
}

function consult(event: Event, data: Told, n: number, asked: Map<number, Consultation>, layer: Layer): void {
  const known = asked.get(n);
  if (event.type === "consult.started" && !known) {
    const one: Consultation = {
      n,
      agent: data.agent ?? "",
      failed: data.failed ?? "",
      at: event.at,
      action: "",
      requirement: "",
      reasoning: "",
      summary: "",
      fallback: false,
      unusable: 0,
    };
    asked.set(n, one);
    layer.consultations.push(one);
  } else if (event.type === "consult.retrying" && known) known.unusable++;
  else if (event.type === "consult.answered" && known) {
    known.action = data.advice?.action ?? "continue";
    known.requirement = data.advice?.requirement ?? "";
    known.reasoning = data.advice?.reasoning ?? "";
    known.summary = data.summary ?? "";
    known.fallback = data.fallback === true;
  }
}

/** Whether a person or an agent reviewed the plan between layers: otherwise the graph says it all. */
export function hasPoints(events: Event[]): boolean {
  return events.some(({ type }) => type === "consult.started" || type === "point.passed" || type === "plan.changed");
}
