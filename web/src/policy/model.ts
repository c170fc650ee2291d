import { type Document, isMap, isSeq, parseDocument, type YAMLSeq } from "yaml";
import type { RuleEffect } from "../api/types";

/** Where a rule is in the document: ["rules", 2] or ["auto_approval", "rules", 0]. */
export type RulePath = (string | number)[];

/** A rule as its card shows it. */
export interface Card {
  path: RulePath;
  /** The same as the server writes it: rules[2]. */
  place: string;
  name: string;
  description: string;
  enabled: boolean;
  /** Rules under auto_approval have none: they are evaluated in the order written. */
  priority: number | undefined;
  effect: RuleEffect;
  trigger: Record<string, unknown>;
  action: Record<string, unknown>;
}

export interface Model {
  /** In order of evaluation. */
  rules: Card[];
  /** Evaluated when no other rule applies. */
  automatic: Card[];
  /** The name of the settings of all automatic approvals, if there are any. */
  settings: Record<string, unknown> | undefined;
  /** The text is not YAML, or not a policy: there are no cards. */
  broken: boolean;
}

const lists: RulePath[] = [["rules"], ["checkpoints"]];
const automaticList: RulePath = ["auto_approval", "rules"];

function parse(text: string): Document {
  return parseDocument(text, { intAsBigInt: true });
}

/** The rules of a policy's text. */
export function read(text: string): Model {
  const doc = parse(text);
  if (doc.errors.length > 0 || !isMap(doc.contents))
    return { rules: [], automatic: [], settings: undefined, broken: text.trim() !== "" };
  const rules = lists.flatMap((list) => cardsAt(doc, list));
  const auto = object(toPlain(doc, ["auto_approval"]));
  return {
    rules: rules
      .map((card, i) => ({ card, i }))
      .sort((a, b) => (a.card.priority ?? 0) - (b.card.priority ?? 0) || a.i - b.i)
      .map(({ card }) => card),
    automatic: cardsAt(doc, automaticList),
    settings: Object.keys(auto).length > 0 ? auto : undefined,
    broken: false,
  };
}

function cardsAt(doc: Document, list: RulePath): Card[] {
  const seq = doc.getIn(list);
  if (!isSeq(seq)) return [];
  return seq.items.map((_, i) => {
    const path = [...list, i];
    const rule = object(toPlain(doc, path));
    const action = object(rule.action);
    return {
      path,
      place: placeOf(path),
      name: typeof rule.name === "string" ? rule.name : "",
      description: typeof rule.description === "string" ? rule.description : "",
      enabled: rule.enabled !== false,
      priority: list === automaticList ? undefined : numberOf(rule.priority),
      effect: effectOf(action),
      trigger: object(rule.trigger ?? rule.conditions),
      action,
    };
  });
}

function effectOf(action: Record<string, unknown>): RuleEffect {
  if (action.auto_approve === true) return "approve";
  return action.deny ? "deny" : "ask";
}

const placeOf = (path: RulePath) =>
  path.map((part, i) => (typeof part === "number" ? `[${part}]` : i > 0 ? `.${part}` : part)).join("");

/** A value of the document; whole numbers that fit are numbers. */
function toPlain(doc: Document, path: RulePath): unknown {
  const node = doc.getIn(path, true) as { toJS?: (doc: Document) => unknown } | undefined;
  return simple(node && typeof node === "object" && node.toJS ? node.toJS(doc) : node);
}

function simple(value: unknown): unknown {
  if (typeof value === "bigint")
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(value)
      : String(value);
  if (Array.isArray(value)) return value.map(simple);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, simple(one)]));
  return value;
}

export function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** One or several words, as a list. */
export function words(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

/** The text with a change. Everything else stays as written. */
function edit(text: string, change: (doc: Document) => void): string {
  const doc = parse(text);
  if (!isMap(doc.contents)) doc.contents = doc.createNode({ policy: "default" }) as typeof doc.contents;
  change(doc);
  return doc.toString({ lineWidth: 0 });
}

/** A change to one rule: paths within it, with their new values; undefined removes one. */
export type Edits = [path: RulePath, value: unknown][];

export function change(text: string, rule: RulePath, edits: Edits): string {
  return edit(text, (doc) => {
    for (const [path, value] of edits) {
      if (value === undefined) doc.deleteIn([...rule, ...path]);
      else doc.setIn([...rule, ...path], doc.createNode(value));
    }
  });
}

export function remove(text: string, rule: RulePath): string {
  return edit(text, (doc) => void doc.deleteIn(rule));
}

/** Adds a rule, at the place that its priority gives it. Names are unique. */
export function add(text: string, rule: Record<string, unknown>): string {
  const taken = new Set(everyRule(read(text)).map((card) => card.name));
  let name = String(rule.name ?? "New rule");
  for (let n = 2; taken.has(name); n++) name = `${String(rule.name ?? "New rule")} ${n}`;
  return edit(text, (doc) => {
    const list = isSeq(doc.getIn(["checkpoints"])) && !isSeq(doc.getIn(["rules"])) ? ["checkpoints"] : ["rules"];
    const node = doc.createNode({ ...rule, name });
    const seq = doc.getIn(list);
    if (!isSeq(seq)) {
      doc.setIn(list, doc.createNode([node]));
      return;
    }
    seq.flow = false;
    const at = seq.items.findIndex(
      (item) => isMap(item) && Number(item.get("priority") ?? 0) > Number(rule.priority ?? 0),
    );
    seq.items.splice(at < 0 ? seq.items.length : at, 0, node);
  });
}

export const everyRule = (model: Model): Card[] => [...model.rules, ...model.automatic];

/** A priority after all others, and one before all others. */
export const lastPriority = (rules: Card[]) => Math.max(0, ...rules.map((card) => card.priority ?? 0)) + 10;
export const firstPriority = (rules: Card[]) => Math.min(1, ...rules.map((card) => card.priority ?? 0)) - 1;

/** Moves a rule to another position among its siblings, in order of evaluation. */
export function move(text: string, siblings: Card[], from: number, to: number): string {
  const card = siblings[from];
  if (!card || to < 0 || to >= siblings.length || from === to) return text;
  const order = siblings.toSpliced(from, 1).toSpliced(to, 0, card);
  return edit(text, (doc) => {
    if (card.priority !== undefined)
      for (const [moved, priority] of priorities(order, to)) doc.setIn([...moved.path, "priority"], priority);
    rearrange(doc, order);
  });
}

/** New priorities after a move: only that of the moved rule if there is a gap, otherwise 10, 20, 30 … */
function priorities(order: Card[], at: number): [Card, number][] {
  const moved = order[at];
  if (!moved) return [];
  const before = order[at - 1]?.priority;
  const after = order[at + 1]?.priority;
  if (before === undefined && after !== undefined) return [[moved, after > 1 ? Math.floor(after / 2) : after - 1]];
  if (before !== undefined && after === undefined) return [[moved, before + 10]];
  if (before !== undefined && after !== undefined && after - before >= 2)
    return [[moved, before + Math.floor((after - before) / 2)]];
  return order.map((card, i) => [card, (i + 1) * 10]);
}

/** The list is written in order of evaluation, if it is one list. */
function rearrange(doc: Document, order: Card[]): void {
  const list = order[0]?.path.slice(0, -1) ?? [];
  if (order.some((card) => placeOf(card.path.slice(0, -1)) !== placeOf(list))) return;
  const seq = doc.getIn(list) as YAMLSeq | undefined;
  if (!isSeq(seq) || seq.items.length !== order.length) return;
  const items = [...seq.items];
  seq.items = order.map((card) => items[card.path.at(-1) as number]);
}

/** The share of cases that a rule approves, in percent. Growing rollouts have none: they are written. */
export function rolloutOf(action: Record<string, unknown>): number | undefined {
  if (action.rollout_percentage !== undefined) return numberOf(action.rollout_percentage);
  if (action.rollout === undefined) return 100;
  return numberOf(action.rollout);
}

export function setRollout(text: string, card: Card, percent: number): string {
  const key = card.action.rollout !== undefined ? "rollout" : "rollout_percentage";
  return change(text, card.path, [[["action", key], percent >= 100 ? undefined : percent]]);
}
