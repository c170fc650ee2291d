import { fieldName } from "../../words/fields";
import {
  type Clash,
  mergeTexts as mergeYaml,
  type NamedList,
  named,
  same,
  toObject,
  type Work,
} from "../../yaml/merge";
import { insertAt, NotEditable, removeAt, setAt } from "../../yaml/splice";
import { gateTitle, stepTitle } from "../say";
import type { Content } from "./content";
import { gateOrder, renameGate, renameStep, stepOrder } from "./edit";
import { gateNode, withName } from "./place";

export type { Clash } from "../../yaml/merge";

/** Steps or approvals: how one gets another name everywhere in a text, and where it is drawn. */
interface Renamed extends NamedList {
  rename: (text: string, old: string, name: string) => string;
  node: (id: string) => string;
}

const lists: readonly Renamed[] = [
  {
    key: "steps",
    kind: "step",
    name: (id) => `Step ${stepTitle({ id })}`,
    order: stepOrder,
    rename: renameStep,
    node: (id) => id,
  },
  {
    key: "gates",
    kind: "gate",
    name: (id, { title }) =>
      `Approval ${gateTitle({ id, at: "", title: typeof title === "string" ? title : undefined })}`,
    order: gateOrder,
    rename: renameGate,
    node: gateNode,
  },
];

export interface Merged {
  content: Content;
  clashes: Clash[];
  /** Whether the other side had changed anything. */
  changed: boolean;
}

/**
 * My changes and theirs, both made to the same content. Texts that were changed in different lines are merged by line,
 * which keeps comments; otherwise step by step and field by field.
 */
export function merge(was: Content, my: Content, their: Content): Merged {
  const changed = their.yaml !== was.yaml || !same(their.layout, was.layout) || !same(their.samples, was.samples);
  const { sides, clashes: ofNames } = withSameNames([was, my, their]);
  const [base, mine, theirs] = sides;
  const { text, clashes } = mergeYaml(base.yaml, mine.yaml, theirs.yaml, "workflow", lists);
  const layout = { ...mine.layout };
  for (const id of new Set([...Object.keys(base.layout), ...Object.keys(theirs.layout)])) {
    if (same(base.layout[id], theirs.layout[id]) || !same(base.layout[id], mine.layout[id])) continue;
    const at = theirs.layout[id];
    if (at) layout[id] = at;
    else delete layout[id];
  }
  const names = [...new Set([...mine.samples, ...theirs.samples].map((s) => s.name))];
  const of = (content: Content, name: string) => content.samples.find((s) => s.name === name);
  const samples = names.flatMap((name) => {
    const [b, m, t] = [of(base, name), of(mine, name), of(theirs, name)];
    const taken = same(b, m) ? t : m;
    return taken ? [taken] : [];
  });
  return { content: { yaml: text, layout, samples }, clashes: [...ofNames, ...clashes], changed };
}

/** The same for texts alone. */
export function mergeTexts(base: string, mine: string, theirs: string): Work {
  const [was, my, their] = [base, mine, theirs].map((yaml): Content => ({ yaml, layout: {}, samples: [] }));
  const { content, clashes } = merge(was as Content, my as Content, their as Content);
  return { text: content.yaml, clashes };
}

type Sides = readonly [base: Content, mine: Content, theirs: Content];

/**
 * Gives what one side has renamed the same name on all sides, so that it stays one step. Where both have renamed it,
 * mine stays until the person decides.
 */
function withSameNames(sides: Sides): { sides: Sides; clashes: Clash[] } {
  const clashes: Clash[] = [];
  let [base, mine, theirs] = sides;
  if (base.yaml === mine.yaml || base.yaml === theirs.yaml || mine.yaml === theirs.yaml) return { sides, clashes };
  for (const list of lists) {
    const membersOf = ({ yaml }: Content): Members => named(toObject(yaml)[list.key]);
    const was = membersOf(base);
    const [byMe, byThem] = [namesOf(was, membersOf(mine)), namesOf(was, membersOf(theirs))];
    for (const { id, fields } of was) {
      const [own, other] = [byMe.get(id), byThem.get(id)];
      const name = own ?? other;
      if (name === undefined) continue;
      const b = renamed(base, list, id, name);
      const m = renamed(mine, list, own ?? id, name);
      const t = renamed(theirs, list, other ?? id, name);
      if (!b || !m || !t) continue; // the name is taken there
      [base, mine, theirs] = [b, m, t];
      if (own === undefined || other === undefined || own === other) continue;
      const where = `${list.name(id, fields)}, ${fieldName(list.kind, ["id"])}`;
      const path = [list.key, own, "id"];
      clashes.push({ where, kind: list.kind, field: ["id"], path, mine: own, theirs: other });
    }
  }
  return { sides: [base, mine, theirs], clashes };
}

type Members = ReturnType<typeof named>;

/** The new names of members that only their name tells from one that is gone, or that are in its place. */
function namesOf(before: Members, now: Members): Map<string, string> {
  const has = (all: Members, id: string) => all.some((one) => one.id === id);
  const fresh = now.filter(({ id }) => id !== "" && !has(before, id));
  const names = new Map<string, string>();
  before.forEach(({ id, fields }, i) => {
    if (id === "" || has(now, id)) return;
    const alike = fresh.find((one) => same({ ...one.fields, id }, { ...fields, id }));
    const inPlace = fresh.find(
      (one) => now.indexOf(one) === i && before.length === now.length && isLike(one.fields, fields),
    );
    const found = alike ?? inPlace;
    if (!found) return;
    names.set(id, found.id);
    fresh.splice(fresh.indexOf(found), 1);
  });
  return names;
}

/** Whether two are done by the same, or ask at the same place, and hardly differ otherwise. */
function isLike(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  if (!["agent", "tool", "workflow", "at"].every((key) => same(a[key], b[key]))) return false;
  const differ = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => !same(a[key], b[key]));
  return differ.length <= differMax;
}

/** A new name, and two fields. */
const differMax = 3;

/** The side with another name for one of its members. Undefined: it cannot have that. */
function renamed(side: Content, list: Renamed, old: string, name: string): Content | undefined {
  if (old === name) return side;
  const members = named(toObject(side.yaml)[list.key]);
  if (members.some(({ id }) => id === name)) return undefined;
  try {
    const layout = withName(side.layout, list.node(old), list.node(name));
    return { ...side, yaml: list.rename(side.yaml, old, name), layout };
  } catch (error) {
    if (error instanceof NotEditable) return undefined;
    throw error;
  }
}

/** Takes their side of a clash. Steps that I removed come back at the end. */
export function takeTheirs(content: Content, clash: Clash): Partial<Content> {
  const [key, id, field] = clash.path;
  const list = lists.find((one) => one.key === key);
  if (list && field === "id" && typeof id === "string") return renamed(content, list, id, String(clash.theirs)) ?? {};
  return { yaml: theirText(content.yaml, clash) };
}

function theirText(text: string, clash: Clash): string {
  if (clash.path.length === 0) return String(clash.theirs);
  const [list, id] = clash.path;
  if (clash.path.length === 2 && typeof id === "string" && (list === "steps" || list === "gates")) {
    const at = named(toObject(text)[list]).findIndex((one) => one.id === id);
    if (clash.theirs === undefined) return at < 0 ? text : removeAt(text, [list, at]);
    return insertAt(text, [list], Number.MAX_SAFE_INTEGER, clash.theirs);
  }
  return setAt(text, clash.path, clash.theirs);
}
