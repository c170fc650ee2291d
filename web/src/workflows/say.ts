import { Bot, type LucideIcon, User, Waypoints, Wrench } from "lucide-react";
import { format } from "../words";
import { placeWord, rejectWord, toolName } from "../words/fields";
import { doerName } from "./model/edit";
import { type Doer, doerOf, type GateDef, type Question, type StepDef, spotOf } from "./model/flow";

export const doerWord: Record<Doer, { label: string; plural: string; icon: LucideIcon }> = {
  agent: { label: "Agent", plural: "Agents", icon: Bot },
  tool: { label: "Tool", plural: "Tools", icon: Wrench },
  workflow: { label: "Workflow", plural: "Workflows", icon: Waypoints },
  human: { label: "People", plural: "People", icon: User },
};

/** An agent, tool or workflow by name: "send_mail" → "Send mail". */
export const doerTitle = (doer: Doer, name: string): string => (doer === "tool" ? toolName(name) : format.title(name));
export const stepTitle = (step: StepDef): string => format.title(step.id);
/** A human step by its question, like an approval. */
export const questionTitle = (step: StepDef): string => String(step.human?.title || "") || stepTitle(step);
export const gateTitle = (gate: GateDef): string => gate.title || format.title(gate.id);

/** Who does a step: "Agent Ticket analyzer". */
export function doneBy(step: StepDef): string {
  const doer = doerOf(step);
  if (doer === "human") return step.human?.title ? String(step.human.title) : "People";
  return `${doerWord[doer].label} ${doerTitle(doer, doerName(step))}`;
}

/** Where a gate stands, in words. */
export const placeText = (gate: GateDef): string => placeWord(gate.at.trim());

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

/** In a word, beside the fork of an approval. */
export const rejectShort: Record<string, string> = {
  fail: "fails",
  cancel: "cancels",
  revise: "repeats",
  tell: "continues",
};

/** What a rejection does: "If rejected: the run fails". */
export function rejectText(gate: GateDef): string {
  const word = rejectWord[gate.on_reject ?? defaultReject(gate)] ?? "";
  return word && `If rejected: ${word.charAt(0).toLowerCase()}${word.slice(1)}`;
}

/** What a rejection does if the gate does not say. */
export function defaultReject(gate: GateDef): string {
  const { place } = spotOf(gate);
  if (place === "start") return "cancel";
  if (place === "end") return "revise";
  return place === "call" ? "tell" : "fail";
}
