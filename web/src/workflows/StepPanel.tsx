import { Hand, Plus, Trash2 } from "lucide-react";
import { Button } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { Field } from "../ui/Field";
import { JsonView } from "../ui/JsonView";
import { Select } from "../ui/Select";
import { risk } from "../words";
import { Mapping } from "./Mapping";
import { offerOf } from "./model/catalog";
import { renameStep, setNeeds, setStep, wouldCircle } from "./model/edit";
import { doerOf, needsOf, type StepDef, spotOf } from "./model/flow";
import { doneBy, gateTitle, placeText, stepTitle } from "./say";
import type { Studio } from "./studio";
import { TextField } from "./TextField";

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
            editor.edit((yaml) => renameStep(yaml, step.id, id), `Rename ${name}`);
            pick({ kind: "step", id });
          }}
        />
        {editable && (
          <div className="flex flex-wrap gap-2">
            <Button size="small" onClick={() => openPalette(step.id)}>
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
      {doerOf(step) === "human" && <HumanFields step={step} studio={studio} />}
      {doerOf(step) !== "human" && <Mapping step={step} studio={studio} />}
      {shown?.output != null && (
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
      <section>
        <h3 className="mb-1 text-control font-semibold">Waits for</h3>
        {flow.steps.length < 2 && <p className="text-small text-muted">It is the only step.</p>}
        <ul className="max-h-48 space-y-1 overflow-y-auto">
          {flow.steps
            .filter((other) => other.id !== step.id)
            .map((other) => {
              const on = needs.includes(other.id);
              const circle = !on && wouldCircle(flow, other.id, step.id);
              return (
                <li key={other.id} className="flex min-h-8 items-center gap-2">
                  <Checkbox
                    id={`needs-${step.id}-${other.id}`}
                    checked={on}
                    disabled={!editable || circle}
                    onCheckedChange={(now) =>
                      editor.edit(
                        (yaml) =>
                          setNeeds(yaml, step.id, now ? [...needs, other.id] : needs.filter((n) => n !== other.id)),
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
      </section>
      <section>
        <h3 className="mb-1 text-control font-semibold">Conditions</h3>
        <TextField
          label="Only if"
          mono
          value={step.if ?? ""}
          disabled={!editable}
          hint="For example input.amount > 100. Otherwise the step is skipped."
          onChange={text("if", "the condition")}
        />
        <TextField
          label="For each of"
          mono
          value={step.each ?? ""}
          disabled={!editable}
          hint="A list, such as read.items: the step runs once for each element, called item."
          onChange={text("each", "the list")}
        />
      </section>
      <section className="grid grid-cols-2 gap-x-3">
        <h3 className="col-span-2 mb-1 text-control font-semibold">Limits and risk</h3>
        <TextField
          label="Timeout"
          value={step.timeout ?? ""}
          placeholder="5m"
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
          onChange={(value) =>
            editor.edit(
              (yaml) => setStep(yaml, step.id, ["retry", "max"], /^\d+$/.test(value) ? Number(value) : undefined),
              `Change the tries of ${name}`,
              `${step.id} retry`,
            )
          }
        />
        <TextField
          label="Operation"
          value={step.operation ?? ""}
          disabled={!editable}
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
      </section>
    </div>
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
  return (
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
      <TextField
        label="Role"
        value={String(human.role ?? "")}
        placeholder="Anyone"
        disabled={!editor.editable}
        hint="Who is asked"
        onChange={text("role", "the role")}
      />
    </section>
  );
}
