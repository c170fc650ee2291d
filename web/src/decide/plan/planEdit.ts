import { CannotPatch, compact, mergePatch, plain, type Raw, type Tree, treeOf } from "../../json";
import { applyPatch, type Path, setAt, text, treeOfValue } from "../edit";

// Changes of a plan at a decision point: {inject_steps, skip_steps, edit_steps}. Members that the form does not know
// are kept as they are.

/** Whether a proposal is a change of a plan. */
export function isPlanEdit(tree: Tree): boolean {
  return tree.kind === "object" && listOf(tree, "inject_steps") !== undefined;
}

export function memberOf(tree: Tree | undefined, key: string): Tree | undefined {
  return tree?.kind === "object" ? tree.members.findLast((m) => m.key === key)?.value : undefined;
}

export function stringOf(tree: Tree | undefined, key: string): string {
  const found = memberOf(tree, key);
  return found?.kind === "string" ? found.value : "";
}

export function listOf(tree: Tree | undefined, key: string): Tree[] | undefined {
  const found = memberOf(tree, key);
  return found?.kind === "array" ? found.items : undefined;
}

const strings = (items: Tree[] | undefined) => (items ?? []).flatMap((i) => (i.kind === "string" ? [i.value] : []));
const array = (items: Tree[]): Tree => ({ kind: "array", items });

export const skippedIn = (tree: Tree) => strings(listOf(tree, "skip_steps"));
export const addedIn = (tree: Tree) => listOf(tree, "inject_steps") ?? [];

/** The change with a step skipped or not. What was edited about a skipped step no longer matters. */
export function skip(tree: Tree, step: string, on: boolean): Tree {
  const others = skippedIn(tree).filter((id) => id !== step);
  const next = setAt(tree, ["skip_steps"], array([...others, ...(on ? [step] : [])].map(text)));
  return on ? edit(next, step, undefined) : next;
}

/** The merge patch of a step's input; undefined if it is not edited. */
export function editOf(tree: Tree, step: string): Tree | undefined {
  return memberOf(
    listOf(tree, "edit_steps")?.find((e) => stringOf(e, "id") === step),
    "input",
  );
}

function edit(tree: Tree, step: string, patch: Tree | undefined): Tree {
  const others = (listOf(tree, "edit_steps") ?? []).filter((e) => stringOf(e, "id") !== step);
  const own = patch ? [setAt(treeOfValue({ id: step }), ["input"], patch)] : [];
  return setAt(tree, ["edit_steps"], array([...others, ...own]));
}

/** The input of a step as it would be with the change. */
export function editedInput(tree: Tree, step: string, input: Tree): Tree {
  const patch = editOf(tree, step);
  return patch ? applyPatch(input, patch) : input;
}

/** The change with another input of a step; the error if that cannot be expressed. */
export function withInput(tree: Tree, step: string, input: Tree, now: Tree): Tree | string {
  try {
    const patch = mergePatch({ $json: compact(input) }, { $json: compact(now) });
    return edit(tree, step, patch && treeOf(patch));
  } catch (error) {
    if (error instanceof CannotPatch) return "A field cannot be set to null; leave it out instead.";
    throw error;
  }
}

/** What performs an added step: agent:NAME or the name of a tool. */
export function performerOf(step: Tree): string {
  const agent = stringOf(step, "agent");
  return agent ? `agent:${agent}` : stringOf(step, "tool");
}

const idMax = 60;

/** A free id for a step that uses a tool: mcp:files/read_file → read_file, read_file_2. */
export function freeId(tool: string, taken: string[]): string {
  const name = (tool.split(/[:/]/).at(-1) ?? "").toLowerCase();
  const base =
    name
      .replaceAll(/[^a-z0-9_]+/g, "_")
      .replaceAll(/^_+|_+$/g, "")
      .slice(0, idMax) || "step";
  let id = base;
  for (let n = 2; taken.includes(id); n++) id = `${base}_${n}`;
  return id;
}

export function add(tree: Tree, tool: string, id: string): Tree {
  const agent = tool.startsWith("agent:") ? tool.slice("agent:".length) : undefined;
  const step = treeOfValue(agent ? { id, agent } : { id, tool });
  return setAt(tree, ["inject_steps"], array([...addedIn(tree), step]));
}

export function remove(tree: Tree, n: number): Tree {
  return setAt(tree, ["inject_steps", n], undefined);
}

export function setInStep(tree: Tree, n: number, path: Path, value: Tree | undefined): Tree {
  return setAt(tree, ["inject_steps", n, ...path], value);
}

/** Where an added step stands: "" for next, "before STEP" or "replaces STEP". */
export function placeOfStep(step: Tree): string {
  const replaces = stringOf(step, "replaces");
  if (replaces) return `replaces ${replaces}`;
  const [before] = strings(listOf(step, "needed_by"));
  return before ? `before ${before}` : "";
}

export function setPlace(tree: Tree, n: number, place: string): Tree {
  const [how = "", ...rest] = place.split(" ");
  const id = rest.join(" ");
  const moved = setInStep(tree, n, ["needed_by"], how === "before" ? array([text(id)]) : undefined);
  return setInStep(moved, n, ["replaces"], how === "replaces" ? text(id) : undefined);
}

/** One line of a mapping: a value that was typed, or a path to one. */
export type SourceOf = { path: string } | { value: Tree } | undefined;

export function sourceOf(step: Tree, field: string): SourceOf {
  const found = memberOf(memberOf(step, "with"), field);
  if (found === undefined) return undefined;
  if (found.kind !== "string") return { value: found };
  try {
    return { value: treeOf(found.value) };
  } catch {
    return { path: found.value };
  }
}

export function setSource(tree: Tree, n: number, field: string, source: SourceOf): Tree {
  const written = source && ("path" in source ? text(source.path) : text(compact(source.value)));
  const next = setInStep(tree, n, ["with", field], written);
  const left = memberOf(addedIn(next)[n], "with");
  return left?.kind === "object" && left.members.length === 0 ? setInStep(next, n, ["with"], undefined) : next;
}

/** The reason for skipping a step is part of the note that is sent with the decision, as a line of its own. */
const lead = (step: string) => `Skip ${step}: `;

export function reasonIn(note: string, step: string): string {
  return (
    note
      .split("\n")
      .find((line) => line.startsWith(lead(step)))
      ?.slice(lead(step).length) ?? ""
  );
}

export function withReason(note: string, step: string, reason: string): string {
  const others = note.split("\n").filter((line) => line !== "" && !line.startsWith(lead(step)));
  const own = reason === "" ? [] : [lead(step) + reason.replaceAll("\n", " ")];
  return [...others, ...own].join("\n");
}

/** Values of earlier results that an argument can be read from: build.artifact. */
export function pathsIn(show: Raw | null): string[] {
  const data = plain<{ done?: { step?: string; status?: string; output?: unknown }[] }>(show);
  if (!Array.isArray(data?.done)) return [];
  return data.done.flatMap(({ step, status, output }) => {
    if (!step || (status && status !== "done")) return [];
    const keys = output && typeof output === "object" && !Array.isArray(output) ? Object.keys(output) : [];
    if (keys.includes("$cut")) return [step];
    return [step, ...keys.filter((key) => /^[A-Za-z_]\w*$/.test(key)).map((key) => `${step}.${key}`)];
  });
}
