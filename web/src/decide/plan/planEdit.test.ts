import { expect, it } from "vitest";
import { compact, rawOf, treeOf } from "../../json";
import {
  add,
  addedIn,
  editedInput,
  freeId,
  pathsIn,
  placeOfStep,
  reasonIn,
  remove,
  setPlace,
  setSource,
  skip,
  sourceOf,
  withInput,
  withReason,
} from "./planEdit";

const none = treeOf('{"inject_steps":[],"skip_steps":[],"edit_steps":[]}');
const json = (tree: ReturnType<typeof skip>) => JSON.parse(compact(tree));

it("skips a step, and drops what was edited about it", () => {
  const input = treeOf('{"n":1.50,"keep":true}');
  const edited = withInput(none, "pay", input, treeOf('{"n":2,"keep":true}'));
  if (typeof edited === "string") throw new Error(edited);
  expect(json(edited).edit_steps).toEqual([{ id: "pay", input: { n: 2 } }]);
  expect(compact(editedInput(edited, "pay", input))).toBe('{"n":2,"keep":true}');
  const skipped = skip(edited, "pay", true);
  expect(json(skipped)).toEqual({ inject_steps: [], skip_steps: ["pay"], edit_steps: [] });
  expect(json(skip(skipped, "pay", false)).skip_steps).toEqual([]);
});

it("takes an edit back if the input is as before, and says what cannot be expressed", () => {
  const input = treeOf('{"n":1}');
  const edited = withInput(none, "pay", input, treeOf('{"n":2}'));
  if (typeof edited === "string") throw new Error(edited);
  expect(json(withInput(edited, "pay", input, input) as typeof none).edit_steps).toEqual([]);
  expect(withInput(none, "pay", input, treeOf('{"n":null}'))).toMatch(/null/);
});

it("adds agents and tools, with a place and sources, and keeps what it does not know", () => {
  let tree = add(none, "agent:scanner", "scanner");
  tree = add(tree, "mcp:files/read_file", freeId("mcp:files/read_file", ["read_file"]));
  tree = setPlace(tree, 0, "before deploy");
  tree = setSource(tree, 0, "artifact", { path: "build.artifact" });
  tree = setSource(tree, 0, "depth", { value: treeOf("2.0") });
  expect(json(tree).inject_steps).toEqual([
    { id: "scanner", agent: "scanner", needed_by: ["deploy"], with: { artifact: "build.artifact", depth: "2.0" } },
    { id: "read_file_2", tool: "mcp:files/read_file" },
  ]);
  const [step] = addedIn(tree);
  if (!step) throw new Error("no step");
  expect(placeOfStep(step)).toBe("before deploy");
  expect(sourceOf(step, "artifact")).toEqual({ path: "build.artifact" });
  expect(sourceOf(step, "depth")).toEqual({ value: { kind: "number", text: "2.0" } });
  tree = setPlace(tree, 0, "replaces fetch");
  tree = setSource(setSource(tree, 0, "artifact", undefined), 0, "depth", undefined);
  expect(json(tree).inject_steps[0]).toEqual({ id: "scanner", agent: "scanner", replaces: "fetch" });
  expect(json(remove(tree, 0)).inject_steps).toHaveLength(1);
});

it("keeps reasons as lines of the note", () => {
  const note = withReason(withReason("Looks good.", "docs", "online\nalready"), "tidy", "later");
  expect(note).toBe("Looks good.\nSkip docs: online already\nSkip tidy: later");
  expect(reasonIn(note, "docs")).toBe("online already");
  expect(withReason(note, "docs", "")).toBe("Looks good.\nSkip tidy: later");
});

it("lists the results that arguments can be read from", () => {
  const show = rawOf({
    done: [
      { step: "build", status: "done", output: { artifact: "a", "odd name": 1 } },
      { step: "broke", status: "failed" },
      { step: "long", status: "done", output: { $cut: "steps.long.output", size: 9 } },
    ],
  });
  expect(pathsIn(show)).toEqual(["build", "build.artifact", "long"]);
});
