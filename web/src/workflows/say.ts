import { Bot, type LucideIcon, User, Waypoints, Wrench } from "lucide-react";
import { format } from "../words";
import { doerName } from "./model/edit";
import { type Doer, doerOf, type GateDef, type Question, type StepDef, spotOf } from "./model/flow";

export const doerWord: Record<Doer, { label: string; plural: string; icon: LucideIcon }> = {
  agent: { label: "Agent", plural: "Agents", icon: Bot },
  tool: { label: "Tool", plural: "Tools", icon: Wrench },
  workflow: { label: "Workflow", plural: "Workflows", icon: Waypoints },
  human: { label: "People", plural: "People", icon: User },
};

export const stepTitle = (step: StepDef): string => format.title(step.id);
export const gateTitle = (gate: GateDef): string => gate.title || format.title(gate.id);

/** Who does a step: "Agent Ticket analyzer". */
export function doneBy(step: StepDef): string {
  const doer = doerOf(step);
  if (doer === "human") return step.human?.title ? String(step.human.title) : "People";
  return `${doerWord[doer].label} ${doer === "agent" || doer === "workflow" ? format.title(doerName(step)) : doerName(step)}`;
}

/** Where a gate stands, in words. */
export function placeText(gate: GateDef): string {
  const { place, of } = spotOf(gate);
  if (place === "start") return "Before the run starts";
  if (place === "end") return "Before the run ends";
  if (place === "call") return of === "*" ? "Before every tool call" : `Before each call of ${of}`;
  return `${place === "after" ? "After" : "Before"} ${format.title(of)}`;
}

/** Who is asked. */
export function askedText(gate: Question): string {
  const people = [
    ...Object.entries(gate.roles ?? {}).map(([role, n]) => `${n} × ${format.title(role)}`),
    ...(gate.assignees ?? []).map((a) => (a.startsWith("role:") ? format.title(a.slice(5)) : a)),
    ...(gate.role ? [format.title(gate.role)] : []),
  ];
  const who = people.length > 0 ? people.join(", ") : "Anyone";
  return gate.quorum && gate.quorum > 1 ? `${gate.quorum} × ${who}` : who;
}

export const rejectWord: Record<string, string> = {
  fail: "The run fails",
  cancel: "The run is cancelled",
  revise: "The work is repeated with the reason",
  tell: "The run continues without it",
};

export const thenWord: Record<string, string> = {
  approve: "Approve it",
  reject: "Reject it",
  cancel: "Cancel the run",
  default: "Use the default",
  pause: "Pause the run",
  escalate: "Escalate it",
};

/** What a rejection does if the gate does not say. */
export function defaultReject(gate: GateDef): string {
  const { place } = spotOf(gate);
  if (place === "start") return "cancel";
  if (place === "end") return "revise";
  return place === "call" ? "tell" : "fail";
}
