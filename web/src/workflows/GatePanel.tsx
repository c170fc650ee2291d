import { Trash2 } from "lucide-react";
import { useId } from "react";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";
import { Select } from "../ui/Select";
import { missingWord, optionsOf } from "../words/fields";
import { Expression } from "./Expression";
import type { Source } from "./model/catalog";
import { gateAt, renameGate, setGate } from "./model/edit";
import { type GateDef, spotOf } from "./model/flow";
import { gateNode, withName } from "./model/place";
import { conditionWords } from "./model/source";
import { QuestionDeadline, QuestionKind, QuestionMore, QuestionOutcome, QuestionPeople } from "./QuestionForm";
import { defaultReject, gateTitle, placeText } from "./say";
import type { Studio } from "./studio";
import { TextField } from "./TextField";
import { useScope } from "./useScope";

/** A gate: the question, who answers, until when, and what a rejection does. */
export function GatePanel({ gate, studio }: { gate: GateDef; studio: Studio }) {
  const { editor, catalog, run, preview } = studio;
  const tools = useId();
  const { flow, editable } = editor;
  const name = gateTitle(gate);
  const { place, of } = spotOf(gate);
  const { sources } = useScope(studio, place === "before" || place === "after" ? of : place === "end" ? undefined : "");
  const set = (path: string[], value: unknown, label: string, field?: string) =>
    editor.edit((yaml) => setGate(yaml, gate.id, path, value), label, field);
  const text = (key: string, label: string) => (value: string) =>
    set([key], value || undefined, `Change ${label} of ${name}`, `${gate.id} ${key}`);
  const places = [
    "start",
    ...flow.steps.flatMap((s) => [`before ${s.id}`, `after ${s.id}`]),
    "end",
    place === "call" ? gate.at : "call *",
  ];
  const index = flow.gates.indexOf(gate);
  const fault = (key: string) => studio.faultAt(["gates", index, key]);
  const taken = new Set([...flow.steps.map((s) => s.id), ...flow.gates.map((g) => g.id)]);
  const part = { question: gate, at: gateAt(gate.id), name, id: gate.id, studio };
  const asks = preview && gate.when ? preview.gates.some((g) => g.gate === gate.id) : undefined;
  return (
    <div className="space-y-5">
      <section>
        <TextField
          label="Question"
          value={gate.title ?? ""}
          error={fault("title")}
          disabled={!editable}
          hint="One line. Fields go in braces: Refund {amount} {currency}"
          onChange={text("title", "the question")}
        />
        <TextField
          label="Details"
          long
          value={gate.description ?? ""}
          disabled={!editable}
          onChange={text("description", "the details")}
        />
        <Field label="Where" error={fault("at")}>
          <Select
            value={gate.at}
            className="w-full"
            disabled={!editable}
            onValueChange={(at) => set(["at"], at, `Move ${name}`)}
            options={places.map((at) => ({ value: at, label: placeText({ id: "", at }) }))}
          />
        </Field>
        {place === "call" && (
          <>
            <datalist id={tools}>
              {catalog
                .filter((o) => o.doer === "tool")
                .map((o) => (
                  <option key={o.name} value={o.name} />
                ))}
            </datalist>
            <TextField
              label="Tool"
              late
              list={tools}
              value={of}
              disabled={!editable}
              hint="Its name, mcp:SERVER/TOOL, or * for every tool"
              onChange={(tool) => set(["at"], `call ${tool.trim() || "*"}`, `Move ${name}`)}
            />
          </>
        )}
        <Field
          label="Only if"
          error={fault("when")}
          hint={
            asks === undefined
              ? "For example amount > 100. Empty: always"
              : asks
                ? "With the sample input, people are asked."
                : "With the sample input, no one is asked."
          }
        >
          <Expression
            sources={[...bare(sources, place === "after" || place === "before" ? of : ""), ...sources]}
            words={conditionWords}
            value={gate.when ?? ""}
            disabled={!editable}
            onChange={text("when", "the condition")}
          />
        </Field>
        {gate.when && (
          <Field label="If a field of the condition is missing">
            <Select
              value={gate.if_missing ?? ""}
              className="w-full"
              disabled={!editable}
              onValueChange={(value) =>
                set(["if_missing"], value || undefined, `Change what ${name} does without a field`)
              }
              options={[{ value: "", label: "As the deployment says" }, ...optionsOf(missingWord)]}
            />
          </Field>
        )}
        {editable && (
          <Button size="small" look="danger-outlined" onClick={run.remove}>
            <Trash2 aria-hidden /> Remove the approval
          </Button>
        )}
      </section>
      <QuestionPeople {...part} />
      <QuestionDeadline {...part} />
      <QuestionOutcome {...part} byDefault={defaultReject(gate)} />
      <QuestionKind {...part} />
      <QuestionMore {...part} />
      <TextField
        label="Name"
        late
        value={gate.id}
        disabled={!editable}
        hint={`Later steps read its answer as context.${gate.id}`}
        onChange={(value) => {
          const id = value.trim().replace(/[^A-Za-z0-9_-]+/g, "_");
          if (!id || taken.has(id)) {
            editor.say(id ? `${id} is already taken` : "An approval needs a name");
            return;
          }
          editor.change(
            ({ yaml, layout }) => ({
              yaml: renameGate(yaml, gate.id, id),
              layout: withName(layout, gateNode(gate.id), gateNode(id)),
            }),
            `Rename ${name}`,
          );
        }}
      />
    </div>
  );
}

/** The fields of the proposal by their bare names, as conditions of gates can use them. */
const bare = (sources: readonly Source[], step: string): Source[] =>
  sources.flatMap((s) =>
    (step === "" && s.from === "") || s.from === step
      ? [{ ...s, path: s.path.slice(s.path.indexOf(".") + 1) }].filter(() => s.path.includes("."))
      : [],
  );
