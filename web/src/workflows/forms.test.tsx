import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { type ReactNode, useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { TooltipProvider } from "../ui/Tooltip";
import { fieldName } from "../words/fields";
import { FlowPanel } from "./FlowPanel";
import { GatePanel } from "./GatePanel";
import type { Content } from "./model/content";
import { faultIn, readFlow } from "./model/flow";
import { newNameOf } from "./model/here";
import { StepPanel } from "./StepPanel";
import type { Studio } from "./studio";

// Every control of every form is used once, and what that changes in the document is compared with the schema of
// workflows: a field that no form can set fails here.

vi.mock("../ui/Select", () => ({
  Select: (p: {
    id?: string;
    value: string;
    disabled?: boolean;
    label?: string;
    options: { value: string }[];
    onValueChange: (v: string) => void;
  }) => (
    <select
      id={p.id}
      aria-label={p.label}
      value={p.value}
      disabled={p.disabled}
      onChange={(e) => p.onValueChange(e.target.value)}
    >
      {p.options.map((o) => (
        <option key={o.value} value={o.value}>
          {o.value}
        </option>
      ))}
    </select>
  ),
}));
vi.mock("../router", () => ({ Link: ({ children }: { children: ReactNode }) => <span>{children}</span> }));
afterEach(cleanup);

type Tree = Record<string, unknown>;
const file = join(import.meta.dirname, "../../../internal/definition/schema/workflow.json");
const schema = JSON.parse(readFileSync(file, "utf8")) as Tree & { $defs: Record<string, Tree> };

/** Fields of the schema that no form sets, each with the reason. */
const excepted: Record<string, string> = {
  workflow: "the name of the page: another name is another workflow",
  "steps[].needed_by": "refused in workflows: only for steps that are added to a run",
  "steps[].replaces": "refused in workflows: only for steps that are added to a run",
  "steps[].human.id": "its step has a name already",
  "steps[].human.at": "refused by the server: it is asked where its step is",
  "steps[].human.when": "its step has a condition already",
  "steps[].human.if_missing": "belongs to when",
};

/** Values in which anything may be written: what is below them is not named by the schema of workflows. */
const opaque = ["#/$defs/schema", "#/$defs/mapping"];

const resolved = (node: Tree): Tree =>
  typeof node.$ref === "string" && node.$ref !== "#/$defs/schema"
    ? (schema.$defs[node.$ref.split("/").at(-1) as string] as Tree)
    : node;

/** Every field that the schema names: "gates[].timeout.after". */
function fieldsOf(node: Tree, at = ""): string[] {
  if (opaque.includes(String(node.$ref))) return at ? [at] : [];
  const here = resolved(node);
  const either = [here, ...(["anyOf", "oneOf"] as const).flatMap((k) => (here[k] as Tree[] | undefined) ?? [])].map(
    resolved,
  );
  const below = either.flatMap((one) => Object.entries((one.properties ?? {}) as Record<string, Tree>));
  if (below.length > 0) return below.flatMap(([key, value]) => fieldsOf(value, at ? `${at}.${key}` : key));
  const items = either.map((one) => one.items as Tree | undefined).find((i) => i?.properties || i?.$ref);
  return items ? fieldsOf(items, `${at}[]`) : [at];
}

/** The places of a value: "gates[].timeout.after" with what is there. */
function leaves(value: unknown, at: string, path: string): { at: string; path: string; value: unknown }[] {
  if (typeof value !== "object" || value === null) return [{ at, path, value }];
  if (Array.isArray(value)) return value.flatMap((v, i) => leaves(v, `${at}[]`, `${path}[${i}]`));
  return Object.entries(value).flatMap(([k, v]) => leaves(v, at ? `${at}.${k}` : k, `${path}.${k}`));
}

type Leaf = ReturnType<typeof leaves>[number];

/** The fields with another value than before. */
function changed(before: Leaf[], after: Leaf[]): string[] {
  const old = new Map(before.map((l) => [l.path, l.value]));
  return after.filter((l) => old.get(l.path) !== l.value).map((l) => l.at);
}

const full = `# kept: top
workflow: full # its name
description: About it
input:
  # kept: in the input
  type: object
  properties: { amount: { type: number } }
output: { total: pay.sum }
ask: { role: finance, quorum: 2, timeout: { after: 4h, then: reject } }
loops:
  agent: { agent: adviser, at: per_layer, timeout: 30s, fallback: ask }
  # kept: in the loops
  human:
    when: always
    role: lead
    quorum: 2
    timeout: { after: 2h, then: approve }
labels: { team: x }
steps:
  # kept: about read
  - { id: read, agent: reader }
  - id: pay
    tool: pay_out
    if: input.amount > 1 # and this
    each: read.list
    width: 2
    with: { sum: read.amount }
    # kept: about the tries
    retry: { max: 2, backoff: 1s, factor: 2, max_backoff: 1m }
  - { id: part, workflow: other }
  - id: choose
    human:
      # kept: in the question
      title: Which one?
      kind: choice
      options:
        - { value: a, label: A }
        - { value: b, label: B }
      escalate: [{ after: 1h, to: role:manager }]
      timeout: { after: 4h, then: default, default: a }
  - { id: fill, human: { title: Fill it in, kind: input, on_reject: revise, input_schema: { type: object, properties: { stars: { type: integer } } }, timeout: { after: 4h, then: approve } } }
gates:
  # kept: about the gates
  - id: check
    at: before pay
    when: amount > 100
    title: Pay it?
    on_reject: revise
    escalate: [{ after: 1h, to: role:manager }]
    timeout: { after: 4h, then: approve }
  - { id: pick, at: call pay_out, kind: choice, options: [{ value: a }, { value: b }], timeout: { after: 4h, then: default, default: a } }
  - { id: form, at: end, kind: input, input_schema: { type: object, properties: { stars: { type: integer } } } }
`;
type Part = { kind: "flow" | "step" | "gate"; id: string };
const partsOf = (yaml: string): Part[] => {
  const { flow } = readFlow(yaml);
  return [
    { kind: "flow", id: "" },
    ...(flow?.steps ?? []).map((s): Part => ({ kind: "step", id: s.id })),
    ...(flow?.gates ?? []).map((g): Part => ({ kind: "gate", id: g.id })),
  ];
};

/** Shows the form of a part; texts are all that it has been since. */
function shown(start: string, part: Part, problems: { path: string; message: string }[] = []) {
  const texts = [start];
  function Shown() {
    const [yaml, setYaml] = useState(start);
    const [id, setId] = useState(part.id);
    const flow = readFlow(yaml).flow;
    if (!flow) throw new Error("not read");
    const put = (next: string) => {
      const now = readFlow(next).flow;
      setId((was) => (now && part.kind !== "flow" && newNameOf({ kind: part.kind, id: was }, flow, now)) || was);
      texts.push(next);
      setYaml(next);
    };
    const studio = {
      editor: {
        flow,
        content: { yaml, layout: {}, samples: [] },
        editable: true,
        say: () => {},
        edit: (change: (text: string) => string) => put(change(texts.at(-1) as string)),
        change: (by: (content: Content) => Partial<Content>) =>
          put(by({ yaml: texts.at(-1) as string, layout: {}, samples: [] }).yaml as string),
      },
      catalog: [{ doer: "agent", name: "reader", description: "" }],
      roles: [],
      faultAt: (path: (string | number)[]) => faultIn(problems, path),
      problemsOf: () => [],
      whyOf: () => [],
      input: "{}",
      test: { pins: {}, stale: false },
      run: { addGate: () => {}, remove: () => {} },
      openPalette: () => {},
      pick: () => {},
    } as unknown as Studio;
    const step = part.kind === "step" && flow.steps.find((s) => s.id === id);
    const gate = part.kind === "gate" && flow.gates.find((g) => g.id === id);
    if (step) return <StepPanel step={step} studio={studio} />;
    if (gate) return <GatePanel gate={gate} studio={studio} />;
    return <FlowPanel studio={studio} />;
  }
  const visited = render(
    <TooltipProvider>
      <Shown />
    </TooltipProvider>,
  );
  const controls = () =>
    [...visited.container.querySelectorAll<HTMLElement>("input, textarea, select, button")].filter(
      (control) => !control.hasAttribute("disabled"),
    );
  return { texts, controls };
}

/** Uses one control in all ways, and puts it back. */
function use(control: HTMLElement): void {
  if (control instanceof HTMLSelectElement) {
    const old = control.value;
    for (const { value } of [...control.options].reverse()) fireEvent.change(control, { target: { value } });
    fireEvent.change(control, { target: { value: old } });
  } else if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) {
    const old = control.value;
    const typed = control instanceof HTMLTextAreaElement ? ['{ "type": "object", "title": "T" }'] : ["1"];
    for (const value of [...typed, old]) {
      fireEvent.change(control, { target: { value } });
      if (control.form && value) fireEvent.submit(control.form);
      fireEvent.blur(control);
    }
  } else if (control.role === "checkbox" || control.getAttribute("role") === "checkbox") {
    fireEvent.click(control);
    fireEvent.click(control);
  } else if (!/^(Remove|Map by hand)/.test(control.getAttribute("aria-label") ?? control.textContent?.trim() ?? ""))
    fireEvent.click(control);
}

const rank = (c: HTMLElement): number =>
  c instanceof HTMLSelectElement ? 1 : c instanceof HTMLButtonElement && c.getAttribute("role") !== "checkbox" ? 2 : 0;
const follows = (a: Node, b: Node): number =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? 1 : -1;
const nameOf = (c: HTMLElement): string =>
  c.getAttribute("aria-label") ??
  (c.id && document.querySelector(`label[for="${c.id}"]`)?.textContent) ??
  c.textContent ??
  "";

/** Fields whose controls have labels of their own: boxes of a list, JSON, the tool of a place. */
const unlike = /(acts\[\]|needs\[\]|effects|\.title|gates\[\]\.at|loops\.human)$/;

/** What a comparison calls a field: "gates[].timeout.then" → Deadline, Then. */
function wordsOf(field: string): string[] {
  const kind = field.startsWith("gates") ? "gate" : field.startsWith("steps") ? "step" : "workflow";
  const path = field.replace(/^(gates|steps)\[\]\.?/, "").replaceAll("[]", "");
  return fieldName(kind, path.split(".")).split(" › ");
}

describe("the forms of the editor", () => {
  it("set every field of a workflow, and keep its comments", () => {
    const set = new Set<string>();
    const labelled = new Map<string, string>();
    // A control that several parts have is used in the first of them.
    const used = new Set<string>();
    const kept = full.split("\n").filter((line) => line.trim().startsWith("# kept"));
    // Each text is parsed once: there are hundreds, and most controls put the text back as it was.
    const read = new Map<string, Leaf[]>();
    const leavesOf = (text: string) => {
      const found = read.get(text) ?? leaves(parse(text), "", "");
      read.set(text, found);
      return found;
    };
    for (const part of partsOf(full)) {
      const { texts, controls } = shown(full, part);
      // Buttons add fields, and selects make those after them come and go: they are used last, from the end.
      const group =
        part.kind === "step" && parse(full).steps.find((s: Tree) => s.id === part.id).human ? "human" : part.kind;
      const names: string[] = [];
      for (const control of controls().toSorted((a, b) => rank(a) - rank(b) || (rank(a) > 0 ? follows(a, b) : 0))) {
        const name = `${group} ${nameOf(control)}`;
        names.push(name);
        const from = texts.length;
        if (control.isConnected && !used.has(name)) use(control);
        if (!control.id || !document.querySelector(`label[for="${control.id}"]`)) continue;
        for (let n = from; n < texts.length; n++) {
          const [field, ...more] = new Set(changed(leavesOf(texts[n - 1] as string), leavesOf(texts[n] as string)));
          if (field && more.length === 0) labelled.set(field, nameOf(control));
        }
      }
      for (const name of names) used.add(name);
      cleanup();
      texts.forEach((text, n) => {
        if (n === 0 || text === texts[n - 1]) return;
        for (const field of changed(leavesOf(texts[n - 1] as string), leavesOf(text))) set.add(field);
        const lost = kept.filter((line) => !text.includes(line));
        expect(lost, `${part.kind} ${part.id}: ${text}`).toEqual([]);
      });
    }
    expect(labelled.size).toBeGreaterThan(70);
    const other = [...labelled].filter(([field, label]) => !wordsOf(field).includes(label) && !unlike.test(field));
    expect(other, "labels that comparisons do not use").toEqual([]);
    const fields = fieldsOf(schema);
    expect(fields).toContain("loops.human.timeout.irreversible");
    expect(fields).toContain("steps[].human.notify.channels");
    expect(fields.length).toBeGreaterThan(100);
    const isSet = (field: string) =>
      [...set].some((s) => s === field || s.startsWith(`${field}.`) || s === `${field}[]`);
    expect(fields.filter((field) => !isSet(field) && !(field in excepted))).toEqual([]);
    // An exception that is not needed is none.
    expect(Object.keys(excepted).filter((field) => !fields.includes(field) || isSet(field))).toEqual([]);
  }, 600_000); // it is one long calculation, which a busy machine does slowly

  it("show a problem at its field, and open what it is in", () => {
    shown(full, { kind: "flow", id: "" }, [{ path: "ask.people[0]", message: "not a person" }]);
    const people = screen.getAllByLabelText("Or people").at(-1) as HTMLElement;
    expect(people.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByText("Not a person")).toBeTruthy();
    expect((people.closest("details") as HTMLDetailsElement).open).toBe(true);
    expect(screen.getByText("More between layers").closest("details")?.open).toBe(false);
  });

  it("refuses what is not a number where it is typed", () => {
    const { texts } = shown(full, { kind: "flow", id: "" });
    const field = screen.getByLabelText("Ask below this confidence");
    fireEvent.change(field, { target: { value: "1.5" } });
    fireEvent.blur(field);
    expect(screen.getByText("A number from 0 to 1")).toBeTruthy();
    expect(texts).toHaveLength(1);
    fireEvent.change(field, { target: { value: "0.8" } });
    fireEvent.blur(field);
    expect(parse(texts.at(-1) as string).confidence_threshold).toBe(0.8);
  });
});
