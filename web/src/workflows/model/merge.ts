import {
  type Clash,
  mergeTexts as mergeYaml,
  type NamedList,
  named,
  same,
  toObject,
  type Work,
} from "../../yaml/merge";
import { insertAt, removeAt, setAt } from "../../yaml/splice";
import { gateTitle, stepTitle } from "../say";
import type { Content } from "./content";
import { gateOrder, stepOrder } from "./edit";

export type { Clash } from "../../yaml/merge";

const lists: readonly NamedList[] = [
  { key: "steps", kind: "step", name: (id) => `Step ${stepTitle({ id })}`, order: stepOrder },
  {
    key: "gates",
    kind: "gate",
    name: (id, { title }) =>
      `Approval ${gateTitle({ id, at: "", title: typeof title === "string" ? title : undefined })}`,
    order: gateOrder,
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
export function merge(base: Content, mine: Content, theirs: Content): Merged {
  const changed = theirs.yaml !== base.yaml || !same(theirs.layout, base.layout) || !same(theirs.samples, base.samples);
  const { text, clashes } = mergeTexts(base.yaml, mine.yaml, theirs.yaml);
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
  return { content: { yaml: text, layout, samples }, clashes, changed };
}

export const mergeTexts = (base: string, mine: string, theirs: string): Work =>
  mergeYaml(base, mine, theirs, "workflow", lists);

/** Takes their side of a clash. Steps that I removed come back at the end. */
export function takeTheirs(text: string, clash: Clash): string {
  if (clash.path.length === 0) return String(clash.theirs);
  const [list, id] = clash.path;
  if (clash.path.length === 2 && typeof id === "string" && (list === "steps" || list === "gates")) {
    const at = named(toObject(text)[list]).findIndex((one) => one.id === id);
    if (clash.theirs === undefined) return at < 0 ? text : removeAt(text, [list, at]);
    return insertAt(text, [list], Number.MAX_SAFE_INTEGER, clash.theirs);
  }
  return setAt(text, clash.path, clash.theirs);
}
