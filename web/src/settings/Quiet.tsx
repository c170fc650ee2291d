import type { Preferences } from "../api/notifications";
import { Field, Input, Select } from "../ui";

type Hours = NonNullable<Preferences["quiet_hours"]>;

const ways = [
  { value: "default", label: "Default" },
  { value: "own", label: "Custom" },
  { value: "off", label: "None" },
];

const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** When messages wait, except urgent ones. */
export function Quiet(props: {
  hours: Hours | undefined;
  /** Those by default. */
  byDefault: Hours | undefined;
  off: boolean;
  onChange: (hours: Hours | undefined, off: boolean | undefined) => void;
  wrong: (key: string) => string | undefined;
}) {
  const { hours, byDefault, off, onChange, wrong } = props;
  const way = off ? "off" : hours ? "own" : "default";
  const choose = (to: string) =>
    onChange(to === "own" ? { from: "22:00", to: "07:00", timezone: here() } : undefined, to === "off" || undefined);
  return (
    <fieldset>
      <legend className="text-small font-medium">Quiet hours</legend>
      <p className="mb-2 text-small text-muted">
        Messages wait until they are over, except about critical approvals and those due within the hour.
      </p>
      <Select label="Quiet hours" value={way} onValueChange={choose} options={ways} />
      {way === "default" && (
        <p className="mt-2 text-small text-muted">
          Default:{" "}
          {byDefault
            ? `${byDefault.from} to ${byDefault.to}, ${(byDefault.timezone ?? "UTC").replaceAll("_", " ")}`
            : "none"}
        </p>
      )}
      {hours && !off && (
        <div className="mt-3 grid gap-x-3 sm:grid-cols-[8rem_8rem_1fr]">
          <Field label="From" error={wrong("from")}>
            <Input
              type="time"
              value={hours.from}
              onChange={(e) => onChange({ ...hours, from: e.target.value }, undefined)}
            />
          </Field>
          <Field label="Until" error={wrong("to")}>
            <Input
              type="time"
              value={hours.to}
              onChange={(e) => onChange({ ...hours, to: e.target.value }, undefined)}
            />
          </Field>
          <Field label="Time zone" error={wrong("timezone")}>
            <Select
              value={hours.timezone ?? "UTC"}
              onValueChange={(timezone) => onChange({ ...hours, timezone }, undefined)}
              options={zones(hours.timezone)}
              className="w-full"
            />
          </Field>
        </div>
      )}
    </fieldset>
  );
}

/** The time zones that the browser knows, and the chosen one. */
function zones(chosen: string | undefined): { value: string; label: string }[] {
  const known = new Set(["UTC", here(), ...Intl.supportedValuesOf("timeZone")]);
  if (chosen) known.add(chosen);
  return [...known].sort().map((value) => ({ value, label: value.replaceAll("_", " ") }));
}
