import type { ApprovalFilter, ApprovalKind, RiskLevel } from "../api/types";
import type { Search } from "../router";
import { approvalKind, format, risk } from "../words";

export const sorts = {
  priority: { label: "Most urgent first", short: "Most urgent" },
  age: { label: "Longest waiting first", short: "Longest waiting" },
  deadline: { label: "Soonest deadline first", short: "Soonest deadline" },
} as const;
export type Sort = keyof typeof sorts;

/** The filters of the inbox, kept in the URL. */
export interface Chosen {
  role?: string;
  agent?: string;
  workflow?: string;
  risk?: RiskLevel;
  kind?: ApprovalKind;
  mine?: true;
  /** Words in titles and subjects. */
  q?: string;
  sort: Sort;
}
export type Dimension = Exclude<keyof Chosen, "sort">;

const known = <T extends object>(words: T, value: string | undefined): keyof T | undefined =>
  value !== undefined && Object.hasOwn(words, value) ? (value as keyof T) : undefined;

/** The filters in the URL; unknown values are dropped. */
export function chosenOf(search: Search): Chosen {
  return {
    role: search.role,
    agent: search.agent,
    workflow: search.workflow,
    risk: known(risk, search.risk),
    kind: known(approvalKind, search.kind),
    mine: search.mine === "true" ? true : undefined,
    q: search.q?.trim() || undefined,
    sort: known(sorts, search.sort) ?? "priority",
  };
}

export function searchOf(chosen: Chosen): Search {
  const { mine, sort, ...rest } = chosen;
  return { ...rest, mine: mine ? "true" : undefined, sort: sort === "priority" ? undefined : sort };
}

export function filterOf({ role, sort, ...rest }: Chosen): ApprovalFilter {
  return { ...rest, ...(role ? { role: [role] } : {}), sort, status: ["pending"] };
}

export interface Active {
  dimension: Dimension;
  label: string;
}

/** The active filters, as chip labels. */
export function activeOf(chosen: Chosen): Active[] {
  const out: (Active | undefined)[] = [
    chosen.q ? { dimension: "q", label: `“${chosen.q}”` } : undefined,
    chosen.mine && { dimension: "mine", label: "Mine" },
    chosen.risk && { dimension: "risk", label: risk[chosen.risk].label },
    chosen.kind && { dimension: "kind", label: approvalKind[chosen.kind].label },
    named("workflow", "Workflow", chosen.workflow),
    named("agent", "Agent", chosen.agent),
    named("role", "Role", chosen.role),
  ];
  return out.filter((a) => a !== undefined);
}

function named(dimension: Dimension, word: string, value: string | undefined): Active | undefined {
  return value ? { dimension, label: `${word}: ${format.title(value)}` } : undefined;
}

/** One suggestion. */
export interface Offer {
  dimension: Dimension;
  value: string;
  group: string;
  label: string;
}

/** All suggestions, from existing values. */
export function offersOf(lists: { workflows: string[]; agents: string[]; roles: string[] }): Offer[] {
  const names = (dimension: Dimension, group: string, values: string[]) =>
    values.map((value) => ({ dimension, value, group, label: format.title(value) }));
  return [
    { dimension: "mine", value: "true", group: "Who", label: "Mine: what I may answer" },
    ...(["critical", "high", "medium", "low"] as const).map(
      (value): Offer => ({ dimension: "risk", value, group: "Risk", label: risk[value].label }),
    ),
    ...Object.entries(approvalKind).map(
      ([value, word]): Offer => ({ dimension: "kind", value, group: "Kind", label: word.label }),
    ),
    ...names("workflow", "Workflow", lists.workflows),
    ...names("agent", "Agent", lists.agents),
    ...names("role", "Role", lists.roles),
  ];
}

/** Suggestions that match the typed text; every word has to occur. The text itself is always one: a search. */
export function matching(offers: Offer[], typed: string): Offer[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = offers.filter((o) => {
    const text = `${o.group} ${o.label} ${o.value}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const value = typed.trim();
  return value ? [...fitting, { dimension: "q", value, group: "Search", label: `Search for “${value}”` }] : fitting;
}

export function withOffer(chosen: Chosen, { dimension, value }: Pick<Offer, "dimension" | "value">): Chosen {
  return { ...chosen, [dimension]: dimension === "mine" ? true : value };
}

export function without(chosen: Chosen, dimension: Dimension): Chosen {
  return { ...chosen, [dimension]: undefined };
}

/** The DOM id of a suggestion, so that the box can point at it. */
export const optionId = (box: string, { dimension, value }: Pick<Offer, "dimension" | "value">) =>
  `${box}-${dimension}-${value}`;
