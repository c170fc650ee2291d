import { useState } from "react";
import { useWorkflows } from "../api";
import { resolve, type Schema } from "../decide/schema";
import type { FormProps } from "../document/DocumentDialog";
import { numeric } from "../document/text";
import { plain } from "../json";
import { Field, Input, Select } from "../ui";
import { Ticked } from "../ui/Ticked";
import { format } from "../words";
import { Common, textOf } from "./Common";
import { readTimes, type Times, weekdays, writeTimes } from "./cron";

const repeats: { value: Times["repeat"]; label: string }[] = [
  { value: "daily", label: "Every day" },
  { value: "weekdays", label: "Monday to Friday" },
  { value: "weekly", label: "Every week" },
  { value: "monthly", label: "Every month" },
  { value: "custom", label: "Other times, as in cron" },
];

/** When a schedule starts runs, of which workflow, and with which input. */
export function ScheduleForm(props: FormProps) {
  const { value, set } = props;
  return (
    <>
      <Common kind="schedule" {...props} />
      <When {...props} />
      <InputFields {...props} />
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="If the last run has not ended">
          <Select
            className="w-full"
            value={textOf(value.overlap) || "skip"}
            onValueChange={(to) => set(["overlap"], to === "skip" ? "" : to)}
            options={[
              { value: "skip", label: "Skip this time" },
              { value: "queue", label: "Start when it has ended" },
              { value: "allow", label: "Start anyway" },
            ]}
          />
        </Field>
        <Field label="How late a run may start" hint="Such as 30m or 2d, at most 7d. Empty: 1h">
          <Input
            value={textOf(value.catch_up)}
            autoComplete="off"
            onChange={(e) => set(["catch_up"], e.target.value)}
          />
        </Field>
      </div>
    </>
  );
}

function When({ value, set }: FormProps) {
  const cron = textOf(value.cron);
  const read = readTimes(cron);
  // Other times stay as they are while they are typed, even if they look like one of the choices.
  const [own, setOwn] = useState(read.repeat === "custom");
  const times: Times = own ? { ...read, repeat: "custom" } : read;
  const change = (to: Partial<Times>) => set(["cron"], writeTimes({ ...times, ...to }, cron));
  const zones = Intl.supportedValuesOf("timeZone");
  return (
    <div className="grid gap-x-4 sm:grid-cols-2">
      <Field label="Repeats">
        <Select
          className="w-full"
          value={times.repeat}
          onValueChange={(to) => {
            setOwn(to === "custom");
            change({ repeat: to as Times["repeat"], day: 1 });
          }}
          options={repeats}
        />
      </Field>
      {times.repeat === "custom" ? (
        <Field label="Times" hint="Minute, hour, day, month, weekday: */15 8-17 * * mon-fri">
          <Input value={cron} autoComplete="off" spellCheck={false} onChange={(e) => set(["cron"], e.target.value)} />
        </Field>
      ) : (
        <Field label="At">
          <Input type="time" value={times.at} onChange={(e) => e.target.value && change({ at: e.target.value })} />
        </Field>
      )}
      {times.repeat === "weekly" && (
        <Field label="On">
          <Select
            className="w-full"
            value={String(times.day)}
            onValueChange={(to) => change({ day: Number(to) })}
            options={weekdays.map((label, day) => ({ value: String(day), label }))}
          />
        </Field>
      )}
      {times.repeat === "monthly" && (
        <Field label="On day" hint={times.day > 28 ? "Shorter months are skipped." : undefined}>
          <Select
            className="w-full"
            value={String(times.day)}
            onValueChange={(to) => change({ day: Number(to) })}
            options={Array.from({ length: 31 }, (_, i) => ({ value: String(i + 1), label: String(i + 1) }))}
          />
        </Field>
      )}
      <Field label="Time zone" hint="Empty: UTC">
        <Input
          list="zones"
          value={textOf(value.timezone)}
          autoComplete="off"
          onChange={(e) => set(["timezone"], e.target.value)}
        />
      </Field>
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  );
}

/** The workflow's input: texts, numbers and choices. The rest is written as YAML. */
function InputFields({ value, set }: FormProps) {
  const { data } = useWorkflows();
  const workflow = data?.items.find((one) => one.name === value.workflow);
  const root = plain<{ input?: Schema }>(workflow?.definition ?? null)?.input;
  const properties = Object.entries(resolve(root, root ?? {}).properties ?? {});
  if (!root || properties.length === 0) return null;
  const given = (value.input ?? {}) as Record<string, unknown>;
  const required = new Set(root.required ?? []);
  return (
    <fieldset className="mb-2">
      <legend className="mb-2 font-semibold">Input</legend>
      <div className="grid gap-x-4 sm:grid-cols-2">
        {properties.map(([name, written]) => {
          const schema = resolve(written, root);
          const label = format.title(name) + (required.has(name) ? "" : " (optional)");
          const now = given[name];
          const path = ["input", name];
          if (schema.type === "boolean") {
            return <Ticked key={name} label={label} checked={now === true} onChange={(on) => set(path, on)} />;
          }
          if (schema.enum?.every((one) => typeof one === "string")) {
            return (
              <Field key={name} label={label} hint={schema.description}>
                <Select
                  className="w-full"
                  value={textOf(now)}
                  onValueChange={(to) => set(path, to)}
                  options={[
                    { value: "", label: "Not set" },
                    ...schema.enum.map((one) => ({ value: String(one), label: format.title(String(one)) })),
                  ]}
                />
              </Field>
            );
          }
          const number = schema.type === "number" || schema.type === "integer";
          if ((!number && schema.type !== "string") || (typeof now === "object" && now !== null)) {
            return (
              <p key={name} className="mb-4 text-small text-muted">
                {format.title(name)} is set in the YAML view.
              </p>
            );
          }
          return (
            <Field key={name} label={label} hint={schema.description}>
              <Input
                value={textOf(now)}
                autoComplete="off"
                inputMode={number ? "decimal" : undefined}
                onChange={(e) => set(path, number ? numeric(e.target.value) : e.target.value)}
              />
            </Field>
          );
        })}
      </div>
    </fieldset>
  );
}
