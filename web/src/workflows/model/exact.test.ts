import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { NotEditable } from "../../yaml/splice";
import { setStep } from "./edit";
import { readFlow } from "./flow";

/** One small workflow, as people, editors and programs write it. */
const written: Record<string, string> = {
  "lines that end as on Windows":
    "workflow: a # name\r\nsteps:\r\n  - id: s0   # first\r\n    agent: a0\r\n    timeout: 3m # old\r\n  - { id: s1, agent: a1 } # two\r\ngates:\r\n  - { id: g, at: before s0, title: Look }\r\n# end\r\n",
  "quoted keys":
    "\"workflow\": a\n'steps':\n  - \"id\": s0\n    'agent': a0 # x\n    \"timeout\": '3m'   # old\n  - { \"id\": 's1', 'agent': a1, \"timeout\": 3m }\n",
  "other alphabets":
    'workflow: a\ndescription: "Zahlt Prämien 🙂" # ø\nsteps:\n  - { id: s0, agent: a0, title: 支払いを確認 } # 確認\n  - id: s1\n    agent: a1\n    title: “Prüfen”   # é\n    timeout: 3m\n',
  "all in braces":
    "{ workflow: a, steps: [ { id: s0, agent: a0 }, { id: s1, agent: a1, timeout: 3m } ], labels: { team: x } }\n",
  "braces over several lines":
    "workflow: a\nsteps: [\n  { id: s0, agent: a0 }, # one\n  # between\n  { id: s1,\n    agent: a1, # who\n    timeout: 3m, # how long\n    risk: low },\n]\n",
  "a comment before the last of several lines":
    "workflow: a\nsteps:\n  - { id: s0,\n      agent: a0, # who\n      timeout: 3m }\n  - { id: s1, # the other\n      agent: a1 }\n",
  JSON: '{\n  "workflow": "a",\n  "steps": [\n    { "id": "s0", "agent": "a0" },\n    {\n      "id": "s1",\n      "agent": "a1",\n      "timeout": "3m"\n    }\n  ]\n}\n',
  "a byte order mark": "\uFEFFworkflow: a\nsteps:\n  - { id: s0, agent: a0 }\n",
  "marks of a document": "%YAML 1.2\n---\nworkflow: a\nsteps:\n  - id: s0\n    agent: a0\n...\n",
  "tabs before comments": "workflow: a\nsteps:\n  - id: s0\t# tab\n    agent: a0\t\n    timeout: 3m\n",
};

const edits = [
  [["timeout"], "7m"],
  [["risk"], "high"],
  [["title"], "Größe: “7” 🙂"],
  [["retry", "max"], 9],
  [["with", "x"], "input.b"],
] as const;

const lines = (text: string) => text.split("\n");
const comments = (text: string) => text.match(/# ?[^\s,}\]]+.*$/gm) ?? [];

/** The lines of a text that another one no longer has. */
function lost(before: string, after: string): string[] {
  const left = lines(after);
  return lines(before).filter((line) => {
    const i = left.indexOf(line);
    if (i >= 0) left.splice(i, 1);
    return i < 0;
  });
}

describe("an edit changes one field, however the workflow is written", () => {
  it.each(Object.entries(written))("%s", (_, text) => {
    const { flow } = readFlow(text);
    if (!flow) throw new Error("not read");
    for (const [i, step] of flow.steps.entries())
      for (const [path, value] of edits) {
        const now = setStep(text, step.id, path, value);
        const want = structuredClone(parse(text));
        const [key, inner] = path;
        want.steps[i][key] = inner ? { ...want.steps[i][key], [inner]: value } : value;
        const what = `${path} of ${step.id}:\n${now}`;
        expect(parse(now), what).toEqual(want);
        expect(lost(text, now).length, what).toBeLessThanOrEqual(1);
        expect(comments(now), what).toEqual(comments(text));
        if (text.includes("\r")) expect(now.replaceAll("\r\n", ""), what).not.toMatch(/[\r\n]/);
        // And back again, to the letter.
        if ((step as Record<string, unknown>)[key] === undefined)
          expect(setStep(now, step.id, path, undefined), what).toBe(text);
      }
  });

  it("a removed field takes no comment of another one along", () => {
    const several = written["braces over several lines"] as string;
    expect(setStep(several, "s1", ["timeout"], undefined)).toBe(several.replace("    timeout: 3m, # how long\n", ""));
    expect(setStep(several, "s1", ["risk"], undefined)).toContain("timeout: 3m # how long\n");
    const last = written["a comment before the last of several lines"] as string;
    const without = setStep(last, "s0", ["timeout"], undefined);
    expect(comments(without)).toEqual(comments(last));
    expect(parse(without).steps[0]).toEqual({ id: "s0", agent: "a0" });
  });

  it("what the server refuses, anchors and aliases, is reported and never rewritten", () => {
    const text =
      "workflow: a\nsteps:\n  - { id: s0, agent: a0, with: &w { x: input.a } }\n  - { id: s1, agent: a1, with: *w }\n";
    expect(readFlow(text).error?.message).toBe("Aliases cannot be used here");
    expect(() => setStep(text, "s1", ["with", "x"], "input.b")).toThrow(NotEditable);
  });
});
