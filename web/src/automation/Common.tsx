import { useWorkflows } from "../api";
import type { FormProps } from "../document/DocumentDialog";
import { Field, Input, Select } from "../ui";
import { format } from "../words";

export const textOf = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

/** The fields that schedules and triggers share. */
export function Common({ kind, value, fresh, nameFault, set }: FormProps & { kind: "schedule" | "trigger" }) {
  const { data } = useWorkflows();
  const workflow = textOf(value.workflow);
  const known = (data?.items ?? []).map((one) => ({ value: one.name, label: format.title(one.name) }));
  const options = known.some((one) => one.value === workflow)
    ? known
    : [{ value: workflow, label: workflow ? format.title(workflow) : "Choose a workflow" }, ...known];
  return (
    <>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {fresh && (
          <Field label="Name" hint="Letters, digits, - _ and ." error={nameFault}>
            <Input
              value={textOf(value[kind])}
              autoFocus
              autoComplete="off"
              onChange={(e) => set([kind], e.target.value)}
            />
          </Field>
        )}
        <Field label="Workflow to start" className={fresh ? undefined : "sm:col-span-2"}>
          <Select className="w-full" value={workflow} onValueChange={(to) => set(["workflow"], to)} options={options} />
        </Field>
      </div>
      <Field label="Description">
        <Input
          value={textOf(value.description)}
          autoComplete="off"
          onChange={(e) => set(["description"], e.target.value)}
        />
      </Field>
    </>
  );
}
