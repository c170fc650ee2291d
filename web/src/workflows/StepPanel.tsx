import { Hand, Plus, Trash2 } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { JsonView } from "../ui/JsonView";
import { Select } from "../ui/Select";
import { Visible } from "../ui/Visible";
import { risk } from "../words";
import { reasonText } from "../words/suggestion";
import type { Path } from "../yaml/splice";
import { Expression } from "./Expression";
import { NumberAt, type Part, TextAt } from "./Fields";
import { Mapping } from "./Mapping";
import { offerOf } from "./model/catalog";
import { doerName, humanAt, renameStep, setChanged, setNeeds, setStep, stepOrder } from "./model/edit";
import { doerOf, laterThan, needsOf, type StepDef, spotOf } from "./model/flow";
import { withName } from "./model/place";
import { conditionWords, lookUp, type Scope } from "./model/source";
import { QuestionDeadline, QuestionKind, QuestionMore, QuestionOutcome, QuestionPeople } from "./QuestionForm";
import { doerWord, doneBy, gateTitle, placeText, stepTitle } from "./say";
import type { Studio } from "./studio";
import { isJson } from "./TestPanel";
import { TestSection } from "./TestSection";
import { TextField } from "./TextField";
import { useScope } from "./useScope";

const duration = "A time such as 30s, 5m or 2h";

export function StepPanel({ step, studio }: { step: StepDef; studio: Studio }) {
  const { editor, catalog, preview, run, pick, openPalette } = studio;
  const { flow, editable } = editor;
  const index = flow.steps.indexOf(step);
  const needs = needsOf(flow, index);
  const name = stepTitle(step);
  const offer = offerOf(catalog, step);
  const text = (key: string, label: string) => (value: string) =>
    editor.edit(
      (yaml) => setStep(yaml, step.id, [key], value || undefined),
      `Change ${label} of ${name}`,
      `${step.id} ${key}`,
    );
  const below =
    (path: Path, label: string) =>
    (value: string): void =>
      editor.edit(
        (yaml) => setStep(yaml, step.id, path, value || undefined),
        `Change ${label} of ${name}`,
        `${step.id} ${path.join(" ")}`,
      );
  const number =
    (path: Path, label: string) =>
    (value: string): void =>
      editor.edit(
        (yaml) => setStep(yaml, step.id, path, /^\d+$/.test(value) ? Number(value) : undefined),
        `Change ${label} of ${name}`,
        `${step.id} ${path.join(" ")}`,
      );
  const fault = (...path: Path) => studio.faultAt(["steps", index, ...path]);
  const { sources, scope } = useScope(studio, step.id);
  const part: Part = {
    editable,
    fault: (path) => fault(...path),
    change: (path, value, label, typed) =>
      editor.edit(
        (yaml) => setStep(yaml, step.id, path, value),
        label,
        typed ? `${step.id} ${path.join(" ")}` : undefined,
      ),
  };
  const shown = preview?.steps.find((s) => s.id === step.id);
  const gates = flow.gates.filter((g) => spotOf(g).of === step.id);
  const taken = new Set([...flow.steps.map((s) => s.id), ...flow.gates.map((g) => g.id)]);
  return (
    <div className="space-y-5">
      <section>
        <TextField
          label="Name"
          late
          value={step.id}
          disabled={!editable}
          hint={`${doneBy(step)}${offer?.description ? ` · ${offer.description}` : ""}`}
          onChange={(value) => {
            const id = value.trim().replace(/[^A-Za-z0-9_-]+/g, "_");
            if (!id || taken.has(id)) {
              editor.say(id ? `${id} is already taken` : "A step needs a name");
              return;
            }
            editor.change(
              ({ yaml, layout }) => ({ yaml: renameStep(yaml, step.id, id), layout: withName(layout, step.id, id) }),
              `Rename ${name}`,
            );
          }}
        />
        {editable && (
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => openPalette({ after: step.id })}>
              <Plus aria-hidden /> Add after
            </Button>
            <Button size="small" onClick={() => run.addGate(`before ${step.id}`)}>
              <Hand aria-hidden /> Approval before
            </Button>
            <Button size="small" onClick={() => run.addGate(`after ${step.id}`)}>
              <Hand aria-hidden /> Approval after
            </Button>
            <Button size="small" look="danger-outlined" onClick={run.remove}>
              <Trash2 aria-hidden /> Remove
            </Button>
          </div>
        )}
      </section>
      <Why reasons={studio.whyOf(step.id)} />
      {doerOf(step) === "human" ? <HumanFields step={step} studio={studio} /> : <DoneBy step={step} studio={studio} />}
      <Mapping step={step} studio={studio} />
      <TestSection step={step} studio={studio} />
      {!studio.test.run && shown?.output != null && (
        <section aria-label="Sample output">
          <h3 className="mb-1 text-control font-semibold">Output with the sample input</h3>
          <JsonView value={shown.output} className="max-h-48" />
        </section>
      )}
      {gates.length > 0 && (
        <section>
          <h3 className="mb-1 text-control font-semibold">Approvals</h3>
          <ul className="space-y-1">
            {gates.map((g) => (
              <li key={g.id}>
                <Button size="small" className="w-full justify-start" onClick={() => pick({ kind: "gate", id: g.id })}>
                  <Hand aria-hidden /> {gateTitle(g)} · {placeText(g)}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Waits for">
        <h3 className="mb-1 text-control font-semibold">Waits for</h3>
        <Needs step={step} needs={needs} studio={studio} />
      </section>
      <section aria-label="Conditions">
        <h3 className="mb-1 text-control font-semibold">Conditions</h3>
        <Field
          label="Only if"
          hint={
            !step.if || !shown
              ? "For example input.amount > 100. Otherwise the step is skipped."
              : shown.status === "skipped"
                ? "With the sample input, the step is skipped."
                : "With the sample input, the step runs."
          }
        >
          <Expression
            sources={sources}
            words={conditionWords}
            value={step.if ?? ""}
            disabled={!editable}
            onChange={text("if", "the condition")}
          />
        </Field>
        <div className="grid grid-cols-[1fr_6rem] gap-x-3">
          <Field label="For each of" hint={eachHint(step, scope)}>
            <Expression
              sources={sources.filter((s) => s.type === "array" || s.type === "" || s.type === "object")}
              value={step.each ?? ""}
              disabled={!editable}
              onChange={text("each", "the list")}
            />
          </Field>
          <TextField
            label="At once"
            value={step.width === undefined ? "" : String(step.width)}
            placeholder="8"
            disabled={!editable || !step.each}
            onChange={number(["width"], "how many run at once")}
          />
        </div>
      </section>
      <section aria-label="Limits and risk" className="grid grid-cols-2 gap-x-3">
        <h3 className="col-span-2 mb-1 text-control font-semibold">Limits and risk</h3>
        <TextField
          label="Timeout"
          value={step.timeout ?? ""}
          placeholder="5m"
          error={fault("timeout")}
          disabled={!editable}
          hint={duration}
          onChange={text("timeout", "the timeout")}
        />
        <TextField
          label="Tries"
          value={step.retry?.max === undefined ? "" : String(step.retry.max)}
          placeholder="3"
          disabled={!editable}
          hint="After transient failures"
          onChange={number(["retry", "max"], "the tries")}
        />
        <TextField
          label="Pause between tries"
          value={step.retry?.backoff ?? ""}
          placeholder="1s"
          disabled={!editable}
          onChange={below(["retry", "backoff"], "the pause between tries")}
        />
        <NumberAt
          part={part}
          path={["retry", "factor"]}
          label="Grows by"
          what={`how the pause of ${name} grows`}
          value={step.retry?.factor}
          placeholder="2"
          hint="After each try"
          from={1}
        />
        <TextField
          label="Longest pause"
          value={step.retry?.max_backoff ?? ""}
          placeholder="1m"
          disabled={!editable}
          onChange={below(["retry", "max_backoff"], "the longest pause")}
        />
        <TextField
          label="Undone by"
          value={step.reversible_by ?? ""}
          disabled={!editable}
          error={fault("reversible_by")}
          hint="An operation or tool, or none"
          onChange={text("reversible_by", "what undoes it")}
        />
        <TextField
          label="Operation"
          value={step.operation ?? ""}
          disabled={!editable}
          error={fault("operation")}
          hint="As policy rules see it, such as refund"
          onChange={text("operation", "the operation")}
        />
        <Field label="Risk" hint="Raises what the policy asks">
          <Select
            value={step.risk ?? ""}
            disabled={!editable}
            className="w-full"
            onValueChange={(value) =>
              editor.edit((yaml) => setStep(yaml, step.id, ["risk"], value || undefined), `Change the risk of ${name}`)
            }
            options={[
              { value: "", label: "Not set" },
              ...(["low", "medium", "high", "critical"] as const).map((level) => ({
                value: level,
                label: risk[level].label,
              })),
            ]}
          />
        </Field>
        <TextAt
          part={part}
          path={["title"]}
          label="Title of approvals"
          className="col-span-2"
          what={`the title of approvals of ${name}`}
          value={step.title}
          hint="Where a rule asks before this step. Fields go in braces: Refund {amount}"
        />
        <div className="col-span-2 flex min-h-8 items-center gap-2 text-control">
          <Checkbox
            id={`${step.id}-effects`}
            checked={step.effects === "none"}
            disabled={!editable}
            onCheckedChange={(on) =>
              editor.edit(
                (yaml) => setStep(yaml, step.id, ["effects"], on ? "none" : undefined),
                `Change whether ${name} has effects`,
              )
            }
          />
          <label htmlFor={`${step.id}-effects`}>No side effects and no cost: tests really run it</label>
        </div>
      </section>
      <section aria-label="Output in tests">
        <TextField
          label="Output in tests"
          long
          late
          mono
          value={step.sample === undefined ? "" : JSON.stringify(step.sample)}
          disabled={!editable}
          hint="As JSON; used where a test does not call the step"
          onChange={(value) => {
            if (value !== "" && !isJson(value)) {
              editor.say("The output in tests is not JSON");
              return;
            }
            editor.edit(
              (yaml) => setChanged(yaml, ["steps", index, "sample"], step.sample, parsedJson(value), stepOrder),
              `Change the output of ${name} in tests`,
            );
          }}
        />
      </section>
    </div>
  );
}

const parsedJson = (text: string): unknown => (text === "" ? undefined : JSON.parse(text));

/** What a list gives with the sample data. */
function eachHint(step: StepDef, scope: Scope): string {
  const found = step.each ? lookUp(step.each, scope) : undefined;
  if (found?.kind === "value")
    return Array.isArray(found.value)
      ? `With the sample: ${found.value.length} elements, each called item.`
      : "With the sample, this is not a list.";
  if (found?.kind === "missing") return `With the sample, ${found.at} does not exist.`;
  return "A list, such as read.items: the step runs once for each element, called item.";
}

/** Why the suggester chose this step. */
function Why({ reasons }: { reasons: string[] }) {
  if (reasons.length === 0) return null;
  return (
    <section aria-label="Why it was suggested" className="rounded-sm bg-info-bg p-2 text-control text-info-text">
      <h3 className="font-semibold">Why it was suggested</h3>
      <ul className="space-y-0.5">
        {reasons.map((reason) => (
          <li key={reason} className="break-words">
            <Visible text={reasonText(reason)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The agent, tool or workflow that does a step. */
function DoneBy({ step, studio }: { step: StepDef; studio: Studio }) {
  const { editor, catalog } = studio;
  const list = useId();
  const doer = doerOf(step);
  const value = doerName(step);
  return (
    <section>
      <datalist id={list}>
        {catalog
          .filter((o) => o.doer === doer)
          .map((o) => (
            <option key={o.name} value={o.name} />
          ))}
      </datalist>
      <TextField
        label={doerWord[doer].label}
        late
        list={list}
        value={value}
        disabled={!editor.editable}
        hint={
          doer === "workflow" ? "It runs as a run of its own; this step waits for it and gets its output." : undefined
        }
        onChange={(next) => {
          if (next.trim())
            editor.edit((yaml) => setStep(yaml, step.id, [doer], next.trim()), `Change who does ${stepTitle(step)}`);
        }}
      />
      {doer === "workflow" && value && (
        <Button asChild size="small">
          <Link to="/workflows/$id" params={{ id: value }}>
            Open this workflow
          </Link>
        </Button>
      )}
    </section>
  );
}

const listedMax = 25;

/** The steps that a step waits for. Of many, those, and others by name. */
function Needs({ step, needs, studio }: { step: StepDef; needs: string[]; studio: Studio }) {
  const { editor } = studio;
  const { flow, editable } = editor;
  const [query, setQuery] = useState("");
  const later = useMemo(() => laterThan(flow, step.id), [flow, step.id]);
  const name = stepTitle(step);
  const others = flow.steps.filter((other) => other.id !== step.id);
  const wanted = query.trim().toLowerCase();
  const many = others.length > listedMax;
  const shown = !many
    ? others
    : [
        ...others.filter((o) => needs.includes(o.id)),
        ...others.filter((o) => !needs.includes(o.id) && wanted && stepTitle(o).toLowerCase().includes(wanted)),
      ].slice(0, listedMax);
  const free = editable && shown.some((other) => needs.includes(other.id) || !later.has(other.id));
  if (others.length === 0) return <p className="text-small text-muted">It is the only step.</p>;
  return (
    <>
      {many && (
        <Input
          type="search"
          aria-label="Search steps to wait for"
          placeholder={`Search ${others.length} steps…`}
          value={query}
          onChange={(e) => setQuery(e.target.value)}
          className="mb-1"
        />
      )}
      {/* With nothing to choose in it, it is scrolled by keyboard as well. */}
      <ul className="max-h-48 space-y-1 overflow-y-auto" tabIndex={free ? undefined : 0} aria-label="Steps to wait for">
        {shown.map((other) => {
          const on = needs.includes(other.id);
          const circle = !on && later.has(other.id);
          return (
            <li key={other.id} className="flex min-h-8 items-center gap-2">
              <Checkbox
                id={`needs-${step.id}-${other.id}`}
                checked={on}
                disabled={!editable || circle}
                onCheckedChange={(now) =>
                  editor.edit(
                    (yaml) => setNeeds(yaml, step.id, now ? [...needs, other.id] : needs.filter((n) => n !== other.id)),
                    now ? `Connect ${stepTitle(other)} to ${name}` : `Disconnect ${stepTitle(other)} from ${name}`,
                  )
                }
              />
              <label htmlFor={`needs-${step.id}-${other.id}`} className={circle ? "text-muted" : undefined}>
                {stepTitle(other)}
                {circle && " (comes later)"}
              </label>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function HumanFields({ step, studio }: { step: StepDef; studio: Studio }) {
  const { editor } = studio;
  const human = step.human ?? {};
  const text = (key: string, label: string) => (value: string) =>
    editor.edit(
      (yaml) => setStep(yaml, step.id, ["human", key], value || undefined),
      `Change ${label}`,
      `${step.id} human ${key}`,
    );
  const part = { question: human, at: humanAt(step.id), name: stepTitle(step), id: step.id, studio };
  return (
    <>
      <section>
        <TextField
          label="Question"
          value={String(human.title ?? "")}
          disabled={!editor.editable}
          onChange={text("title", "the question")}
        />
        <TextField
          label="Details"
          long
          value={String(human.description ?? "")}
          disabled={!editor.editable}
          onChange={text("description", "the details")}
        />
      </section>
      <QuestionKind {...part} />
      <QuestionPeople {...part} />
      <QuestionDeadline {...part} />
      <QuestionOutcome {...part} byDefault="fail" />
      <QuestionMore {...part} />
    </>
  );
}
