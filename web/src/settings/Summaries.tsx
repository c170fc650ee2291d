import type { Preferences } from "../api/notifications";
import { Field, Input, Select } from "../ui";
import { Ticked } from "../ui/Ticked";

type Digest = NonNullable<Preferences["digest"]>;

const ways = [
  { value: "default", label: "Default" },
  { value: "own", label: "Custom" },
  { value: "never", label: "Never" },
];
const spans = [
  { value: "5m", label: "5 minutes" },
  { value: "15m", label: "15 minutes" },
  { value: "1h", label: "hour" },
  { value: "4h", label: "4 hours" },
  { value: "24h", label: "day" },
];

const chosen = (way: string): Digest | undefined =>
  way === "own" ? { after: 10, every: "15m" } : way === "never" ? { off: true } : undefined;

/** When many messages become one. */
export function Summaries(props: {
  digest: Digest | undefined;
  /** The one by default. */
  byDefault: Digest | undefined;
  onChange: (digest: Digest | undefined) => void;
  /** Whether summaries are not sent by e-mail. */
  noMail: boolean;
  onNoMail: (noMail: boolean) => void;
  wrong: (key: string) => string | undefined;
}) {
  const { digest, byDefault, onChange, noMail, onNoMail, wrong } = props;
  const every = digest?.every ?? "15m";
  const span = (value: string | undefined) => spans.find((s) => s.value === (value ?? "15m"))?.label ?? value;
  const known = spans.some(({ value }) => value === every);
  return (
    <fieldset>
      <legend className="text-small font-medium">Summaries</legend>
      <p className="mb-2 text-small text-muted">After a few messages in a row, the rest arrive as one summary.</p>
      <Select
        label="Summaries"
        value={digest?.off ? "never" : digest ? "own" : "default"}
        onValueChange={(to) => onChange(chosen(to))}
        options={ways}
      />
      {!digest && (
        <p className="mt-2 text-small text-muted">
          Default:{" "}
          {byDefault && !byDefault.off
            ? `after ${byDefault.after} messages, one every ${span(byDefault.every ?? undefined)}`
            : "no summaries"}
        </p>
      )}
      {digest && !digest.off && (
        <div className="mt-3 grid gap-x-3 sm:grid-cols-[12rem_12rem]">
          <Field label="After this many messages" error={wrong("after")}>
            <Input
              type="number"
              min={1}
              max={1000}
              value={digest.after ?? 0}
              onChange={(e) => onChange({ ...digest, after: Math.max(0, Math.trunc(e.target.valueAsNumber || 0)) })}
            />
          </Field>
          <Field label="One summary every" error={wrong("every")}>
            <Select
              value={every}
              onValueChange={(next) => onChange({ ...digest, every: next })}
              options={known ? spans : [...spans, { value: every, label: every }]}
              className="w-full"
            />
          </Field>
        </div>
      )}
      <div className="mt-3">
        <Ticked label="Summaries by e-mail" checked={!noMail} onChange={(by) => onNoMail(!by)} />
      </div>
    </fieldset>
  );
}
