import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { insertAt, removeAt, setAt } from "../../yaml/splice";
import type { Picked } from "../studio";
import { type Field, mapField, type Source } from "./catalog";
import type { Content } from "./content";
import { differenceOf, partOf } from "./diff";
import {
  addBelow,
  addGate,
  addStep,
  blank,
  connect,
  deadline,
  disconnect,
  dropBelow,
  gateAt,
  humanAt,
  removeGate,
  removeStep,
  renameGate,
  renameStep,
  type Slot,
  setBelow,
  setChanged,
  setFlow,
  setGate,
  setHumanLoop,
  setStep,
  wouldCircle,
} from "./edit";
import { laterThan, needsOf, readFlow } from "./flow";
import { newNameOf } from "./here";
import { begin, type History, rebase, record, redo, undo } from "./history";
import { merge, mergeTexts, takeTheirs } from "./merge";
import { placesOf, planOfFlow, withName } from "./place";
import { completionsOf, conditionWords, lookUp, wordAt } from "./source";
import { difference, files, written } from "./testing";
import { reasonsIn, withReasons } from "./why";

const texts = [...files, ...Array.from({ length: 60 }, (_, i) => ({ name: `generated ${i}`, text: written(i + 1) }))];
const lines = (text: string) => text.split("\n");

describe("an edit on the canvas changes exactly what it says", () => {
  it("has files to try", () => expect(files.length).toBeGreaterThan(15));

  it.each(texts)("a field of $name", ({ text }) => {
    const { flow } = readFlow(text);
    const step = flow?.steps.at(-1);
    if (!flow || !step) throw new Error("no step");
    const want = structuredClone(parse(text));
    for (const [path, value] of [
      [["timeout"], "7m"],
      [["risk"], "critical"],
      [["if"], 'input.a != "b: c"'],
      [["retry"], { max: 4, backoff: "2s" }],
    ] as const) {
      const now = setStep(text, step.id, path, value);
      const after = structuredClone(want);
      after.steps.at(-1)[path[0]] = value;
      expect(parse(now)).toEqual(after);
      const { gone, come } = difference(text, now);
      expect(gone.length, now).toBeLessThanOrEqual(step[path[0]] === undefined ? 1 : lines(text).length);
      if (step[path[0]] === undefined) expect(come.length).toBe(1);
      // And back again: to the letter, if the field is new.
      if (step[path[0]] === undefined) expect(setStep(now, step.id, path, undefined)).toBe(text);
    }
  });

  it.each(texts)("moves a node of $name without touching the text, and undoes it", ({ text }) => {
    const { flow } = readFlow(text);
    if (!flow) throw new Error("not read");
    const plan = planOfFlow(flow);
    const places = placesOf(plan, {}, new Map());
    expect([...places.keys()].sort()).toEqual(plan.nodes.map((n) => n.id).sort());
    const id = plan.nodes[0]?.id as string;
    const start = begin({ yaml: text, layout: {}, samples: [] });
    const moved = record(start, { layout: { ...Object.fromEntries(places), [id]: { x: 500, y: 20 } } }, "Move");
    expect(moved.content.yaml).toBe(text);
    expect(placesOf(plan, moved.content.layout, new Map()).get(id)).toEqual({ x: 500, y: 20 });
    const edited = record(moved, { yaml: setStep(text, flow.steps[0]?.id as string, ["timeout"], "9m") }, "Edit");
    expect(undo(undo(edited)).content).toEqual(start.content);
    expect(redo(redo(undo(undo(edited)))).content).toEqual(edited.content);
  });

  it.each(texts)("adds, connects and removes a step of $name", ({ text }) => {
    const { flow } = readFlow(text);
    if (!flow) throw new Error("not read");
    const before = structuredClone(parse(text));
    for (const after of [undefined, flow.steps[0]?.id]) {
      const { text: now, id } = addStep(text, { doer: "agent", name: "newcomer" }, { after });
      const read = readFlow(now).flow;
      expect(read?.steps.length).toBe(flow.steps.length + 1);
      const at = read?.steps.findIndex((s) => s.id === id) ?? -1;
      if (after && read) {
        expect(needsOf(read, at)).toEqual([after]);
        // Those that waited for the one before wait for the new one, and all others as they did.
        flow.steps.forEach((s, i) => {
          const was = needsOf(flow, i).map((n) => (n === after ? id : n));
          expect(
            needsOf(
              read,
              read.steps.findIndex((o) => o.id === s.id),
            ),
          ).toEqual(was);
        });
      }
      const gone = removeStep(now, id);
      const back = readFlow(gone).flow;
      expect(back?.steps.map((s) => s.id)).toEqual(flow.steps.map((s) => s.id));
      flow.steps.forEach((_, i) => {
        if (back) expect(needsOf(back, i)).toEqual(needsOf(flow, i));
      });
      if (after === undefined) expect(gone).toBe(text);
      expect({ ...parse(gone), steps: 0 }).toEqual({ ...before, steps: 0 });
    }
  });

  it.each(texts)("adds and removes a gate of $name", ({ text }) => {
    const { flow } = readFlow(text);
    const first = flow?.steps[0]?.id as string;
    const { text: now, id } = addGate(text, `before ${first}`, "Is it right?");
    expect(readFlow(now).flow?.gates.at(-1)).toEqual({ id, at: `before ${first}`, title: "Is it right?" });
    const set = setGate(now, id, ["timeout"], deadline("4h", "reject"));
    expect(readFlow(set).flow?.gates.at(-1)?.timeout).toEqual(deadline("4h", "reject"));
    expect(removeGate(set, id).trimEnd()).toBe(text.trimEnd());
  });

  // What the forms of steps, human steps, gates and the workflow edit: each is there, nothing else differs, and without
  // it the text is as it was, to the letter.
  it.each(texts)("edits $name by the forms, and takes it back", ({ text }) => {
    const { flow } = readFlow(text);
    const step = flow?.steps.at(-1);
    if (!flow || !step) throw new Error("no step");
    const before = structuredClone(parse(text));
    const index = flow.steps.length - 1;
    for (const [path, value] of [
      [["width"], 4],
      [["retry", "max"], 5],
      [["retry", "backoff"], "2s"],
      [["retry", "factor"], 1.5],
      [["retry", "max_backoff"], "1m"],
      [["effects"], "none"],
      [["reversible_by"], "none"],
      [["sample"], { ok: true, list: [1, { a: "b: c" }] }],
      [["with", "extra"], "input.amount"],
      [["title"], "Refund {amount}: now"],
    ] as const) {
      const [key] = path;
      if ((step as Record<string, unknown>)[key] !== undefined) continue;
      const now = setStep(text, step.id, path, value);
      const want = structuredClone(before);
      want.steps[index][key] = path.length === 1 ? value : { [path[1]]: value };
      expect(parse(now), now).toEqual(want);
      expect(setStep(now, step.id, path, undefined), path.join(".")).toBe(text);
    }
    for (const [path, value] of [
      [["stop_on_error"], false],
      [["speculate"], true],
      [["loops", "agent", "agent"], "adviser"],
      [["loops", "human"], "always"],
      [["output", "extra"], `${step.id}.x`],
      [["loops", "agent"], { agent: "adviser", timeout: "30s", fallback: "ask" }],
      [["loops", "replan"], "go"],
      [
        ["ask", "people"],
        ["ada", "role:controllers"],
      ],
      [["ask", "timeout"], deadline("4h", "pause")],
      [
        ["notify", "channels"],
        ["email", "ops: all"],
      ],
      [["notify", "only"], true],
      [["snapshots"], "per_step"],
      [["owner_only"], true],
      [["confidence_threshold"], 0.85],
      [["sensitive"], ["iban", "steps.a.output.iban"]],
      [["hand_off"], ["clerk"]],
      [["labels", "team"], "x, y"],
    ] as const) {
      if (flow.all[path[0]] !== undefined) continue;
      const now = setFlow(text, path, value);
      const want = structuredClone(before);
      want[path[0]] = path
        .toReversed()
        .slice(0, -1)
        .reduce<unknown>((inner, k) => ({ [k]: inner }), value);
      expect(parse(now), now).toEqual(want);
      expect(setFlow(now, [path[0]], undefined).trimEnd(), path.join(".")).toBe(text.trimEnd());
    }
    // Questions: of a gate, and of a step that people do.
    const gated = addGate(text, "end", "Is it right?");
    const asked = addStep(text, { doer: "human", name: "Look at it" });
    for (const { text: start, id, at } of [
      { ...gated, at: gateAt(gated.id) },
      { ...asked, at: humanAt(asked.id) },
    ]) {
      const read = (t: string) => {
        const now = readFlow(t).flow;
        return now?.gates.find((g) => g.id === id) ?? now?.steps.find((s) => s.id === id)?.human;
      };
      const question = read(start);
      const rest = { ...parse(start), gates: 0, steps: 0 };
      for (const [path, value] of [
        [["kind"], "choice"],
        [["assignees"], ["bob", "role:press"]],
        [["roles"], { finance: 1, legal: 2 }],
        [["requester"], "excluded"],
        [["acts"], ["approve", "reject"]],
        [["on_reject"], "revise"],
        [["remind"], 0],
        [["pause_after"], "3d"],
        [["notify"], { channels: ["email"], urgency: "high" }],
        [["auto_approvable"], true],
        [["show"], ["input.amount"]],
        [["timeout"], deadline("4h", "reject")],
        [["input_schema"], { type: "object", properties: { stars: { type: "integer" } } }],
      ] as const) {
        const now = setBelow(start, at, path, value);
        expect(read(now), now).toEqual({ ...question, [path[0]]: value });
        expect(setBelow(now, at, path, undefined), path.join(".")).toBe(start);
        expect({ ...parse(now), gates: 0, steps: 0 }).toEqual(rest);
      }
      const one = addBelow(start, at, ["options"], { value: "left", label: "To the left" });
      const two = addBelow(one, at, ["options"], { value: "right" });
      expect(read(two)?.options).toEqual([{ value: "left", label: "To the left" }, { value: "right" }]);
      expect(read(setBelow(two, at, ["options", 1, "label"], "R"))?.options?.[1]).toEqual({
        value: "right",
        label: "R",
      });
      expect(dropBelow(two, at, ["options"], 1, 2)).toBe(one);
      expect(dropBelow(one, at, ["options"], 0, 1)).toBe(start);
      const chain = addBelow(start, at, ["escalate"], { after: "4h", to: "role:manager" });
      expect(read(setBelow(chain, at, ["escalate", 0, "to"], "bob"))?.escalate).toEqual([{ after: "4h", to: "bob" }]);
      expect(dropBelow(chain, at, ["escalate"], 0, 1)).toBe(start);
    }
  });

  it.each(texts)("sets the people between layers of $name, and takes them back", ({ text }) => {
    const { flow } = readFlow(text);
    if (flow?.all.loops !== undefined) return;
    const human = (t: string) => parse(t).loops?.human;
    const always = setHumanLoop(text, ["when"], "always");
    expect(human(always)).toBe("always");
    expect(setHumanLoop(always, ["when"], undefined)).toBe(text);
    // From a word to an object and further, with nothing else changed.
    const led = setHumanLoop(always, ["role"], "lead");
    const timed = setHumanLoop(led, ["timeout"], deadline("2h", "pause"));
    expect(human(timed)).toEqual({ when: "always", role: "lead", timeout: deadline("2h", "pause") });
    expect({ ...parse(timed), loops: 0 }).toEqual({ ...parse(text), loops: 0 });
    expect(human(setHumanLoop(timed, ["when"], "never")).when).toBe("never");
    expect(setHumanLoop(timed, ["timeout"], undefined)).toBe(led);
    expect(setHumanLoop(timed, ["when"], undefined)).toBe(text);
    expect(setHumanLoop(always, ["role"], undefined)).toBe(always);
  });

  it.each(texts)("renames a gate of $name wherever its answer is used", ({ text }) => {
    const { text: gated, id } = addGate(text, "start", "Is it right?");
    const used = setFlow(gated, ["output", "answer"], `context.${id}.note`);
    const now = renameGate(used, id, "zz_renamed");
    expect(parse(now).output.answer).toBe("context.zz_renamed.note");
    expect(readFlow(now).flow?.gates.at(-1)?.id).toBe("zz_renamed");
    expect(renameGate(now, "zz_renamed", id)).toBe(used);
  });

  it.each(texts)("notes why each step of $name was suggested, and reads it again", ({ text }) => {
    const { flow } = readFlow(text);
    const why = (flow?.steps ?? []).map((s) => ({ step: s.id, because: `fits ${s.id}; reads # it: all` }));
    const noted = withReasons(text, why);
    expect(parse(noted)).toEqual(parse(text));
    const found = reasonsIn(noted);
    for (const { step } of why) expect(found.get(step)).toEqual([`fits ${step}`, "reads # it: all"]);
    expect(reasonsIn(text).size).toBe(0);
  });

  it.each(texts)("renames a step of $name wherever it is mentioned", ({ text }) => {
    const { flow } = readFlow(text);
    const first = flow?.steps[0]?.id as string;
    const now = renameStep(text, first, "zz_renamed");
    expect(renameStep(now, "zz_renamed", first)).toBe(text);
    const read = readFlow(now).flow;
    expect(read?.steps.flatMap((_, i) => needsOf(read, i))).not.toContain(first);
  });
});

describe("what a draft changes", () => {
  const flowOf = (text: string) => {
    const { flow } = readFlow(text);
    if (!flow) throw new Error("not read");
    return flow;
  };
  it.each(texts)("is nothing for $name itself, and exactly what was edited", ({ text }) => {
    const flow = flowOf(text);
    const first = flow.steps[0]?.id as string;
    expect(differenceOf(flow, flowOf(`${text}\n# a comment\n`)).marks.size).toBe(0);
    const edited = setStep(text, first, ["timeout"], "77m");
    expect([...differenceOf(flow, flowOf(edited)).marks]).toEqual([[first, "changed"]]);
    const { text: gated, id } = addGate(text, "end", "Is it right?");
    expect([...differenceOf(flow, flowOf(gated)).marks]).toEqual([[`gate ${id}`, "added"]]);
    // The other way round it was removed, and is drawn with the rest.
    const gone = differenceOf(flowOf(gated), flow);
    expect([...gone.marks]).toEqual([[`gate ${id}`, "removed"]]);
    expect(gone.plan.nodes.map((n) => n.id)).toContain(`gate ${id}`);
    expect(differenceOf(flow, flowOf(setFlow(text, ["timeout"], "77m"))).settings).toEqual(["timeout"]);
  });
});

describe("what is drawn of a workflow", () => {
  const calls = `workflow: w
steps: [{ id: a, agent: x }, { id: b, tool: pay }]
gates: [{ id: every, at: call pay }]
`;
  const read = (text: string) => {
    const { flow } = readFlow(text);
    if (!flow) throw new Error("not read");
    return flow;
  };

  it("has the approvals at tool calls, also those that were removed", () => {
    expect(planOfFlow(read(calls)).nodes.map((n) => n.id)).toEqual(["a", "b", "gate every"]);
    const { marks, plan } = differenceOf(read(calls), read(removeGate(calls, "every")));
    expect([...marks]).toEqual([["gate every", "removed"]]);
    expect(plan.nodes.map((n) => n.id)).toEqual(["a", "b", "gate every"]);
    const places = placesOf(plan, {}, placesOf(planOfFlow(read(removeGate(calls, "every"))), {}, new Map()));
    expect(new Set([...places.values()].map((p) => JSON.stringify(p))).size).toBe(3);
  });

  it("is, where there is no room for all, what differs and what is beside it", () => {
    const steps = Array.from({ length: 100 }, (_, i) => `  - { id: s${i}, agent: x }\n`).join("");
    const before = `workflow: w\nsteps:\n${steps}gates:\n  - { id: last, at: before s98 }\n`;
    const after = setStep(removeGate(before, "last"), "s70", ["timeout"], "9m");
    const { marks, plan } = differenceOf(read(before), read(after));
    const ids = partOf(plan, marks, 10).nodes.map((n) => n.id);
    expect(ids.length).toBe(10);
    expect(ids).toEqual(expect.arrayContaining(["gate last", "s70", "s69", "s71", "s98"]));
    expect(partOf(plan, undefined, 3).nodes.map((n) => n.id)).toEqual(["s0", "s1", "s2"]);
  });
});

describe("edits of a text", () => {
  const text = `workflow: a # the name
steps:
  - { id: one, agent: x }   # first
  # about two
  - id: two
    agent: y
    with: { to: input.to }
output: { a: one.a }
`;

  it("keeps styles, comments and lines", () => {
    expect(setStep(text, "two", ["with", "cc"], "one.cc")).toBe(
      text.replace("{ to: input.to }", "{ to: input.to, cc: one.cc }"),
    );
    expect(setStep(text, "one", ["needs"], [])).toBe(text.replace("agent: x }", "agent: x, needs: [] }"));
    expect(setStep(text, "two", ["with", "to"], undefined)).toBe(text.replace("    with: { to: input.to }\n", ""));
    expect(setFlow(text, ["description"], "It is: good")).toContain(
      'workflow: a # the name\ndescription: "It is: good"\n',
    );
    expect(removeAt(text, ["steps", 0])).toBe(text.replace("  - { id: one, agent: x }   # first\n", ""));
    expect(insertAt(text, ["steps"], 1, { id: "n", agent: "z" })).toContain(
      "# first\n  - { id: n, agent: z }\n  # about two",
    );
    expect(insertAt(text, ["steps"], 2, { id: "n", agent: "z" })).toContain(
      "input.to }\n  - id: n\n    agent: z\noutput",
    );
    expect(setAt(text, ["steps", 0, "agent"], "a: b")).toContain('agent: "a: b" }');
    expect(setAt("a: 'x' # c\n", ["a"], "it's")).toBe("a: 'it''s' # c\n");
    expect(setAt('a: "x" # c\n', ["a"], "it")).toBe('a: "it" # c\n');
    // As it is typed, key by key.
    expect(["2", "2s", "2s ", "2s x"].reduce((text, typed) => setAt(text, ["a"], typed), "a: b\n")).toBe("a: 2s x\n");
    expect(setAt("a:\nb: 1\n", ["a"], 3)).toBe("a: 3\nb: 1\n");
    expect(setAt("a: |\n  long\n  text\nb: 1\n", ["a"], "short")).toBe("a: short\nb: 1\n");
    expect(setAt("a: short\nb: 1\n", ["a"], "two\nlines")).toBe("a: |-\n  two\n  lines\nb: 1\n");
  });

  it("changes only the places where two values differ", () => {
    const schema = `workflow: a
input: # what it starts with
  type: object
  properties:
    sum: { type: number } # in euros
    to: { type: string }
steps: []
`;
    const from = parse(schema).input;
    const to = { type: "object", properties: { sum: { type: "number", minimum: 0 }, cc: { type: "string" } } };
    const now = setChanged(schema, ["input"], from, to);
    expect(parse(now).input).toEqual(to);
    expect(now).toContain("input: # what it starts with\n");
    expect(now).toContain("sum: { type: number, minimum: 0 } # in euros\n");
    expect(setChanged(schema, ["input"], from, structuredClone(from))).toBe(schema);
    expect(parse(setChanged(schema, ["input"], from, true)).input).toBe(true);
  });

  it("renames a step in questions and sensitive fields", () => {
    const asked = `workflow: a
sensitive: [iban, steps.one.output.iban]
steps:
  - { id: one, agent: x }
  - { id: two, human: { title: Look, show: [one.a], revise: one } }
`;
    expect(renameStep(asked, "one", "uno")).toBe(
      asked
        .replace("steps.one", "steps.uno")
        .replace("id: one", "id: uno")
        .replace("one.a", "uno.a")
        .replace("revise: one", "revise: uno"),
    );
  });

  it("begins with nothing", () => {
    const { text: one } = addStep(blank("new", "For a test"), { doer: "agent", name: "greeter" });
    expect(one).toBe('workflow: new\ndescription: "For a test"\nsteps:\n  - id: greeter\n    agent: greeter\n');
    const { text: two } = addStep(
      one,
      { doer: "tool", name: "mcp:files/read", with: { path: "greeter.path" } },
      { after: "greeter" },
    );
    expect(readFlow(two).flow?.steps[1]).toMatchObject({
      id: "read",
      tool: "mcp:files/read",
      with: { path: "greeter.path" },
    });
    const { text: three } = addStep(two, { doer: "human", name: "Say more" }, { after: "read" });
    expect(readFlow(three).flow?.steps[2]).toMatchObject({ id: "ask", human: { title: "Say more" } });
  });

  it("connects and disconnects, and never in a circle", () => {
    const three = addStep(text, { doer: "agent", name: "z" }).text;
    const linked = connect(three, "one", "z");
    expect(readFlow(linked).flow?.steps[2]?.needs).toEqual(["two", "one"]);
    expect(connect(linked, "z", "one")).toBe(linked);
    expect(disconnect(linked, "one", "z")).toBe(three);
    expect(readFlow(disconnect(three, "two", "z")).flow?.steps[2]?.needs).toEqual([]);
  });

  it("inserts between two steps, and leaves all others as they were", () => {
    const text = `workflow: w
steps:
  - { id: a, agent: x }
  - { id: b, agent: x }
  - { id: c, agent: x, needs: [a] }
  - { id: d, agent: x, needs: [a, b] }
`;
    const wired = (slot: Slot) => {
      const { flow } = readFlow(addStep(text, { doer: "agent", name: "new" }, slot).text);
      return Object.fromEntries(flow?.steps.map((s, i) => [s.id, needsOf(flow, i).join()]) ?? []);
    };
    expect(wired({ after: "a" })).toEqual({ a: "", new: "a", b: "new", c: "new", d: "new,b" });
    expect(wired({ after: "a", before: "b" })).toEqual({ a: "", new: "a", b: "new", c: "a", d: "a,b" });
    expect(wired({ after: "a", before: "c" })).toEqual({ a: "", new: "a", b: "a", c: "new", d: "a,b" });
    expect(wired({ after: "a", before: "d" })).toEqual({ a: "", new: "a", b: "a", c: "a", d: "new,b" });
    // Between a step and all that it waits for, as in front of an approval before it.
    expect(wired({ before: "a" })).toEqual({ new: "", a: "new", b: "a", c: "a", d: "a,b" });
    expect(wired({ before: "d" })).toEqual({ a: "", b: "a", c: "a", new: "a,b", d: "new" });
    expect(wired({})).toEqual({ a: "", b: "a", c: "a", d: "a,b", new: "d" });
  });

  it("says what is wrong with a text that is not YAML", () => {
    expect(readFlow("workflow: a\nsteps: [").error?.line).toBe(2);
    expect(() => setStep("a: [", "x", ["y"], 1)).toThrow();
  });
});

describe("mapping by hand", () => {
  const text = `workflow: a
steps:
  - { id: read, agent: r }
  - { id: pay, agent: p }
`;
  const sources: Source[] = [
    { path: "read", type: "object", from: "read" },
    { path: "read.amount", type: "number", from: "read" },
    { path: "read.lines", type: "array", from: "read" },
    { path: "input.name", type: "string", from: "" },
  ];
  const fields: Field[] = [
    { name: "amount", type: "number", required: true },
    { name: "payee", type: "string", required: true },
  ];
  const pay = readFlow(text).flow?.steps[1] ?? expect.fail();

  it("keeps what came by name when the first field is mapped", () => {
    const now = mapField(text, pay, "payee", "input.name", fields, sources);
    expect(readFlow(now).flow?.steps[1]?.with).toEqual({ amount: "read.amount", payee: "input.name" });
    // A mapping that is there is complete.
    const mapped = readFlow(now).flow?.steps[1] ?? expect.fail();
    const less = mapField(now, mapped, "amount", undefined, fields, sources);
    expect(readFlow(less).flow?.steps[1]?.with).toEqual({ payee: "input.name" });
    // A tool gets nothing by itself.
    const tool = text.replace("agent: p", "tool: p");
    const def = readFlow(tool).flow?.steps[1] ?? expect.fail();
    expect(readFlow(mapField(tool, def, "payee", "input.name", fields, sources)).flow?.steps[1]?.with).toEqual({
      payee: "input.name",
    });
  });

  it("shows what a source gives", () => {
    const scope = {
      input: { name: "Ann", nested: { a: [1, 2] } },
      steps: new Map<string, unknown>([["read", { amount: 3, lines: [{ sku: "A" }] }]]),
      item: { sku: "A" },
    };
    const value = (v: unknown) => ({ kind: "value", value: v });
    expect(lookUp("input.name", scope)).toEqual(value("Ann"));
    expect(lookUp("read.lines[0].sku", scope)).toEqual(value("A"));
    expect(lookUp("read.lines.length", scope)).toEqual(value(1));
    expect(lookUp("context.amount", scope)).toEqual(value(3));
    expect(lookUp("item.sku", scope)).toEqual(value("A"));
    expect(lookUp('"text"', scope)).toEqual(value("text"));
    expect(lookUp("[1, 2]", scope)).toEqual(value([1, 2]));
    expect(lookUp(7, scope)).toEqual(value(7));
    expect(lookUp("read.missing.more", scope)).toEqual({ kind: "missing", at: "read.missing" });
    expect(lookUp("input.constructor", scope)).toEqual({ kind: "missing", at: "input.constructor" });
    expect(lookUp("later.x", scope)).toEqual({ kind: "unknown" });
    expect(lookUp('"open', scope).kind).toBe("wrong");
    expect(lookUp("a > 3", scope).kind).toBe("wrong");
  });

  it("completes paths and words of conditions", () => {
    expect(wordAt("input.a > rea", 13)).toEqual({ from: 10, word: "rea" });
    expect(wordAt('name == "rea', 12)).toEqual({ from: 12, word: "" });
    expect(completionsOf("read.", sources).map((c) => c.text)).toEqual(["read.amount", "read.lines"]);
    expect(completionsOf("am", sources).map((c) => c.text)).toEqual(["read.amount"]);
    expect(completionsOf("con", sources, conditionWords).map((c) => c.text)).toEqual(["contains"]);
    expect(completionsOf("", sources).length).toBe(4);
  });
});

describe("circles", () => {
  it("are found among many steps", () => {
    const lines = Array.from({ length: 400 }, (_, i) => `  - { id: s${i}, agent: a }`);
    const flow = readFlow(`workflow: a\nsteps:\n${lines.join("\n")}\n`).flow ?? expect.fail();
    expect(laterThan(flow, "s0").size).toBe(399);
    expect(wouldCircle(flow, "s399", "s0")).toBe(true);
    expect(wouldCircle(flow, "s0", "s399")).toBe(false);
    expect(wouldCircle(flow, "s5", "s5")).toBe(true);
  });
});

describe("two people", () => {
  const base = "workflow: a\nsteps:\n  - { id: one, agent: x, timeout: 1m }\n  - { id: two, agent: y }\n";

  it("edit different lines, with their comments", () => {
    const mine = setStep(base, "two", ["risk"], "high");
    const theirs = base.replace("workflow: a", "workflow: a   # theirs");
    expect(mergeTexts(base, mine, theirs)).toEqual({
      text: mine.replace("workflow: a", "workflow: a   # theirs"),
      clashes: [],
    });
  });

  it("edit different fields of one step, and add steps at the same place", () => {
    const mine = addStep(setStep(base, "one", ["risk"], "high"), { doer: "agent", name: "m" }).text;
    const theirs = addStep(setStep(base, "one", ["timeout"], "9m"), { doer: "agent", name: "t" }).text;
    const { text, clashes } = mergeTexts(base, mine, theirs);
    expect(clashes).toEqual([]);
    const { flow } = readFlow(text);
    expect(flow?.steps[0]).toMatchObject({ risk: "high", timeout: "9m" });
    expect(flow?.steps.map((s) => s.id).sort()).toEqual(["m", "one", "t", "two"]);
  });

  it("change the same field: both are told", () => {
    const mine = setStep(base, "one", ["timeout"], "2m");
    const theirs = setStep(base, "one", ["timeout"], "3m");
    const { text, clashes } = mergeTexts(base, mine, theirs);
    expect(text).toBe(mine);
    expect(clashes).toMatchObject([{ where: "Step One, Timeout", mine: "2m", theirs: "3m" }]);
  });

  it("move different steps, and one removes a step that the other changed", () => {
    const content = (yaml: string, layout: Record<string, { x: number; y: number }>) => ({ yaml, layout, samples: [] });
    const { content: got, clashes } = merge(
      content(base, { one: { x: 0, y: 0 } }),
      content(setStep(base, "two", ["risk"], "low"), { one: { x: 5, y: 5 } }),
      content(removeStep(base, "two"), { one: { x: 0, y: 0 }, two: { x: 9, y: 9 } }),
    );
    expect(got.layout).toEqual({ one: { x: 5, y: 5 }, two: { x: 9, y: 9 } });
    expect(clashes).toMatchObject([{ where: "Step Two", theirs: undefined }]);
  });
});

describe("two people and one step", () => {
  const base =
    "workflow: a # why\nsteps:\n  - id: read\n    agent: reader # first\n  - id: pay\n    agent: payer\n    with: { x: read.amount }\n";
  const edited = (id: string) => setStep(base, id, ["timeout"], "5m");

  it.each([
    ["mine", renameStep(base, "read", "scan"), edited("read")],
    ["theirs", edited("read"), renameStep(base, "read", "scan")],
  ])("a new name, %s, and a change of the other one stay both", (_, mine, theirs) => {
    const { text, clashes } = mergeTexts(base, mine, theirs);
    expect(clashes).toEqual([]);
    expect(text).toBe(setStep(renameStep(base, "read", "scan"), "scan", ["timeout"], "5m"));
  });

  it("a step that they removed while I changed it stays until I decide, and so does my removal of what they changed", () => {
    const kept = mergeTexts(base, edited("pay"), removeStep(base, "pay"));
    expect(parse(kept.text).steps[1]).toMatchObject({ id: "pay", timeout: "5m" });
    expect(kept.clashes).toMatchObject([{ where: "Step Pay", theirs: undefined }]);
    const removed = mergeTexts(base, removeStep(base, "pay"), edited("pay"));
    expect(parse(removed.text).steps).toHaveLength(1);
    expect(removed.clashes).toMatchObject([{ where: "Step Pay", mine: undefined, theirs: { timeout: "5m" } }]);
  });

  const content = (yaml: string, layout: Content["layout"] = {}): Content => ({ yaml, layout, samples: [] });
  /** The same as one line for each step. */
  const inLines =
    "workflow: a # why\nsteps:\n  - { id: read, agent: reader } # first\n  - { id: pay, agent: payer, with: { x: read.amount } }\ngates: [{ id: look, at: before read }]\n";
  const at = { read: { x: 1, y: 2 }, "gate look": { x: 3, y: 4 } };

  it.each([
    ["in blocks", base],
    ["in lines", inLines],
  ])("two new names %s are one step: mine stays, and theirs is taken everywhere", (_, text) => {
    const named = (name: string) => content(renameStep(text, "read", name), withName(at, "read", name));
    const { content: both, clashes } = merge(content(text, at), named("scan"), named("parse"));
    expect(both).toEqual(named("scan"));
    expect(clashes).toMatchObject([{ where: "Step Read, Name", mine: "scan", theirs: "parse" }]);
    expect({ ...both, ...takeTheirs(both, clashes[0] ?? expect.fail()) }).toEqual(named("parse"));
  });

  it("two new names for one approval are one approval", () => {
    const named = (name: string) =>
      content(renameGate(inLines, "look", name), withName(at, "gate look", `gate ${name}`));
    const { content: both, clashes } = merge(content(inLines, at), named("check"), named("ask"));
    expect(both).toEqual(named("check"));
    expect(clashes).toMatchObject([{ where: "Approval Look, Name", mine: "check", theirs: "ask" }]);
    expect({ ...both, ...takeTheirs(both, clashes[0] ?? expect.fail()) }).toEqual(named("ask"));
  });

  it.each([
    ["mine", true],
    ["theirs", false],
  ])("a new name, %s, in a line that the other one changed is that of one step, also where it was added", (_, own) => {
    const name = renameStep(inLines, "read", "scan");
    const change = addStep(
      setStep(setStep(inLines, "read", ["timeout"], "5m"), "read", ["risk"], "low"),
      { doer: "agent", name: "printer", with: { y: "read.page" } },
      { after: "pay" },
    ).text;
    const { text, clashes } = own ? mergeTexts(inLines, name, change) : mergeTexts(inLines, change, name);
    expect(clashes).toEqual([]);
    expect(parse(text)).toEqual(parse(renameStep(change, "read", "scan")));
    expect(text).toContain("# first");
  });

  it("the same new name is no conflict, and a step that takes the place of another one stays beside it", () => {
    const name = renameStep(inLines, "read", "scan");
    expect(mergeTexts(inLines, name, setStep(name, "scan", ["risk"], "low"))).toEqual({
      text: setStep(name, "scan", ["risk"], "low"),
      clashes: [],
    });
    const other = inLines.replace("{ id: read, agent: reader }", "{ id: ask, human: { title: Look } }");
    const { text, clashes } = mergeTexts(inLines, other, setStep(inLines, "read", ["timeout"], "5m"));
    expect(parse(text).steps.map((step: { id: string }) => step.id)).toEqual(["ask", "pay"]);
    expect(clashes).toMatchObject([{ where: "Step Read", mine: undefined, theirs: { timeout: "5m" } }]);
  });

  it("a name that the other one gave to a new step is no new name there", () => {
    const mine = renameStep(inLines, "read", "scan");
    const theirs = addStep(inLines, { doer: "agent", name: "scan" }, { after: "pay" }).text;
    const ids = parse(mergeTexts(inLines, mine, theirs).text).steps.map((step: { id: string }) => step.id);
    expect(ids).toEqual(expect.arrayContaining(["scan", "pay"]));
  });
});

describe("what is selected", () => {
  const flow = (yaml: string) => readFlow(yaml).flow ?? expect.fail();
  const text =
    "workflow: a\nsteps: [{ id: one, agent: x }, { id: two, agent: y }]\ngates: [{ id: look, at: after one }]\n";

  it("has its new name, and none once it is removed", () => {
    const named = (picked: Picked, now: string) => newNameOf(picked, flow(text), flow(now));
    expect(named({ kind: "step", id: "one" }, renameStep(text, "one", "uno"))).toBe("uno");
    expect(named({ kind: "step", id: "two" }, renameStep(text, "one", "uno"))).toBeUndefined();
    expect(named({ kind: "gate", id: "look" }, renameGate(text, "look", "see"))).toBe("see");
    expect(named({ kind: "step", id: "one" }, removeStep(text, "one"))).toBeUndefined();
    expect(named({ kind: "step", id: "one" }, addStep(text, { doer: "agent", name: "z" }).text)).toBeUndefined();
    expect(named({ kind: "edge", id: "one→two" }, renameStep(text, "one", "uno"))).toBeUndefined();
  });
});

describe("undo after a merge", () => {
  const steps = ["read", "check", "pay"].map((id) => `  - id: ${id}\n    agent: ${id}er\n`).join("");
  const content = (yaml: string): Content => ({ yaml, layout: {}, samples: [] });
  const first = content(`workflow: refunds\nsteps:\n${steps}`);
  const timeout = (step: string, value?: string) => (yaml: string) => setStep(yaml, step, ["timeout"], value);
  const edit = (history: History, change: (yaml: string) => string) =>
    record(history, { yaml: change(history.content.yaml) }, "Edit");
  /** Another person changes what was stored. */
  const theirs = (history: History, stored: Content, change: (yaml: string) => string) =>
    rebase(history, merge(stored, history.content, { ...stored, yaml: change(stored.yaml) }).content);
  const values = (history: History) =>
    Object.fromEntries(readFlow(history.content.yaml).flow?.steps.map((s) => [s.id, s.timeout]) ?? []);

  it("takes back one's own changes, and never another person's", () => {
    const mine = edit(edit(begin(first), timeout("read", "8m")), timeout("check", "9m"));
    const merged = theirs(mine, mine.content, timeout("pay", "7m"));
    expect(values(merged)).toEqual({ read: "8m", check: "9m", pay: "7m" });
    expect(values(undo(merged))).toEqual({ read: "8m", pay: "7m" });
    expect(values(undo(undo(merged)))).toEqual({ pay: "7m" });
    expect(undo(undo(merged)).past.length).toBe(0); // the merge is not a step to undo
    expect(values(redo(redo(undo(undo(merged)))))).toEqual({ read: "8m", check: "9m", pay: "7m" });
    const more = edit(merged, timeout("read", "1m"));
    expect(values(undo(undo(undo(more))))).toEqual({ pay: "7m" });
    // Also while they arrive in between.
    const back = theirs(undo(mine), content(mine.content.yaml), timeout("pay", "6m"));
    expect(values(redo(back))).toEqual({ read: "8m", check: "9m", pay: "6m" });
  });

  it("keeps a field and a step that another person has changed since", () => {
    const mine = edit(begin(first), timeout("read", "8m"));
    expect(values(undo(theirs(mine, mine.content, timeout("read", "5m"))))).toEqual({ read: "5m" });
    const added = edit(
      begin(first),
      (yaml) => addStep(yaml, { doer: "agent", name: "printer" }, { after: "pay" }).text,
    );
    const changed = theirs(added, added.content, timeout("printer", "2m"));
    expect(values(undo(changed)).printer).toBe("2m");
    const moved = record(begin(first), { layout: { pay: { x: 1, y: 2 } } }, "Move");
    const put = rebase(moved, { ...moved.content, layout: { pay: { x: 5, y: 6 }, read: { x: 7, y: 8 } } });
    expect(undo(put).content.layout).toEqual({ pay: { x: 5, y: 6 }, read: { x: 7, y: 8 } });
  });
});

describe("places", () => {
  it("keep what was drawn, and put new nodes after those that lead to them", () => {
    const text = "workflow: a\nsteps: [{ id: one, agent: x }, { id: two, agent: y }]\n";
    const flow = (t: string) => readFlow(t).flow ?? expect.fail();
    const first = placesOf(planOfFlow(flow(text)), {}, new Map());
    const { text: more, id } = addStep(text, { doer: "agent", name: "mid" }, { after: "one" });
    const then = placesOf(planOfFlow(flow(more)), {}, first);
    expect(then.get("one")).toEqual(first.get("one"));
    expect(then.get(id)?.y).toBeGreaterThan(first.get("one")?.y ?? 0);
    expect(then.get("two")?.y).toBeGreaterThan(then.get(id)?.y ?? 0);
    // Under another name it stays where it is.
    const renamed = placesOf(planOfFlow(flow(renameStep(more, id, "midst"))), {}, then);
    expect(renamed).toEqual(new Map(Object.entries(withName(Object.fromEntries(then), id, "midst"))));
    // What was placed by hand does not make room.
    const hand = { two: first.get("two") ?? { x: 0, y: 0 } };
    expect(placesOf(planOfFlow(flow(more)), hand, first).get("two")).toEqual(hand.two);
  });
});
