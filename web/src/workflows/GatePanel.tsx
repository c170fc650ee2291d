import { Trash2 } from "lucide-react";
import { useId } from "react";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";
import { Select } from "../ui/Select";
import { deadline, setGate } from "./model/edit";
import { type GateDef, spotOf } from "./model/flow";
import { defaultReject, gateTitle, placeText, rejectWord, thenWord } from "./say";
import type { Studio } from "./studio";
import { TextField } from "./TextField";

const roles = ["approver", "manager", "reviewer", "finance", "legal", "security"];

/** A gate: who is asked, until when, and what a rejection does. */
export function GatePanel({ gate, studio }: { gate: GateDef; studio: Studio }) {
  const { editor, run } = studio;
  const { flow, editable } = editor;
  const list = useId();
  const name = gateTitle(gate);
  const set = (path: string[], value: unknown, label: string, field?: string) =>
    editor.edit((yaml) => setGate(yaml, gate.id, path, value), label, field);
  const text = (key: string, label: string) => (value: string) =>
    set([key], value || undefined, `Change ${label} of ${name}`, `${gate.id} ${key}`);
  const used = [...new Set([...flow.gates.flatMap((g) => (g.role ? [g.role] : [])), ...roles])];
  const places = [
    "start",
    ...flow.steps.flatMap((s) => [`before ${s.id}`, `after ${s.id}`]),
    "end",
    ...(spotOf(gate).place === "call" ? [gate.at] : []),
  ];
  const after = gate.timeout?.after ?? "";
  return (
    <div className="space-y-5">
      <section>
        <TextField
          label="Question"
          value={gate.title ?? ""}
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
        <Field label="Where">
          <Select
            value={gate.at}
            className="w-full"
            disabled={!editable}
            onValueChange={(at) => set(["at"], at, `Move ${name}`)}
            options={places.map((at) => ({ value: at, label: placeText({ id: "", at }) }))}
          />
        </Field>
        <TextField
          label="Only if"
          mono
          value={gate.when ?? ""}
          disabled={!editable}
          hint="For example amount > 100. Empty: always"
          onChange={text("when", "the condition")}
        />
        {editable && (
          <Button size="small" look="danger-outlined" onClick={run.remove}>
            <Trash2 aria-hidden /> Remove the approval
          </Button>
        )}
      </section>
      <section className="grid grid-cols-2 gap-x-3">
        <h3 className="col-span-2 mb-1 text-control font-semibold">Who is asked</h3>
        <datalist id={list}>
          {used.map((role) => (
            <option key={role} value={role} />
          ))}
        </datalist>
        <TextField
          label="Role"
          list={list}
          value={gate.role ?? ""}
          placeholder="Anyone"
          disabled={!editable}
          onChange={text("role", "the role")}
        />
        <TextField
          label="Approvals needed"
          value={gate.quorum === undefined ? "" : String(gate.quorum)}
          placeholder="1"
          disabled={!editable}
          hint="From 2 on, not by the requester"
          onChange={(value) =>
            set(
              ["quorum"],
              /^[1-9]\d*$/.test(value) ? Number(value) : undefined,
              `Change the quorum of ${name}`,
              `${gate.id} quorum`,
            )
          }
        />
      </section>
      <section className="grid grid-cols-2 gap-x-3">
        <h3 className="col-span-2 mb-1 text-control font-semibold">Deadline</h3>
        <TextField
          label="After"
          value={after}
          placeholder="Waits forever"
          disabled={!editable}
          hint="Such as 4h or 2d"
          onChange={(value) =>
            value
              ? editor.edit(
                  (yaml) =>
                    gate.timeout
                      ? setGate(yaml, gate.id, ["timeout", "after"], value)
                      : setGate(yaml, gate.id, ["timeout"], deadline(value, "reject")),
                  `Change the deadline of ${name}`,
                  `${gate.id} timeout`,
                )
              : set(["timeout"], undefined, `Remove the deadline of ${name}`)
          }
        />
        <Field label="Then">
          <Select
            value={gate.timeout?.then ?? ""}
            className="w-full"
            disabled={!editable || !gate.timeout}
            placeholder="–"
            onValueChange={(then) => set(["timeout", "then"], then, `Change what happens at the deadline of ${name}`)}
            options={Object.entries(thenWord).map(([value, label]) => ({ value, label }))}
          />
        </Field>
      </section>
      <section>
        <Field label="If rejected" hint={gate.on_reject ? undefined : `Default: ${rejectWord[defaultReject(gate)]}`}>
          <Select
            value={gate.on_reject ?? ""}
            className="w-full"
            disabled={!editable}
            onValueChange={(value) => set(["on_reject"], value || undefined, `Change what a rejection of ${name} does`)}
            options={[
              { value: "", label: "Default" },
              ...Object.entries(rejectWord).map(([value, label]) => ({ value, label })),
            ]}
          />
        </Field>
        <TextField
          label="Show beside it"
          mono
          late
          value={(gate.show ?? []).join(", ")}
          disabled={!editable}
          hint={`Paths, separated by commas, such as input.amount${flow.steps[0] ? `, ${flow.steps[0].id}.text` : ""}`}
          onChange={(value) => {
            const paths = value
              .split(",")
              .map((p) => p.trim())
              .filter(Boolean);
            set(["show"], paths.length > 0 ? paths : undefined, `Change what ${name} shows`);
          }}
        />
      </section>
      <p className="text-small text-muted">
        {spotOf(gate).place === "before" || spotOf(gate).place === "after"
          ? `Its answer is available to later steps as context.${gate.id}.`
          : ""}
      </p>
    </div>
  );
}
