import { Plus, X } from "lucide-react";
import { useState } from "react";
import type { FormProps } from "../document/DocumentDialog";
import { Button, Field, IconButton, Input, Select } from "../ui";
import { verifyKind } from "../words";
import { Common, textOf } from "./Common";

const kinds = Object.keys(verifyKind) as (keyof typeof verifyKind)[];
const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** How deliveries to a trigger are verified, and which input they become. */
export function TriggerForm(props: FormProps) {
  const { value, set } = props;
  const header = typeof value.verify === "object" && value.verify !== null;
  const inner = objectOf(value.verify);
  const kind = header ? "header" : textOf(value.verify);
  return (
    <>
      <Common kind="trigger" {...props} />
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="How deliveries are verified">
          <Select
            className="w-full"
            value={kind}
            onValueChange={(to) => set(["verify"], to === "header" ? { header: "X-Token" } : to)}
            options={kinds.map((one) => ({
              value: one,
              label: verifyKind[one].label,
              hint: verifyKind[one].sentence,
            }))}
          />
        </Field>
        {header && (
          <Field label="Header">
            <Input
              value={textOf(inner.header)}
              autoComplete="off"
              onChange={(e) => set(["verify", "header"], e.target.value)}
            />
          </Field>
        )}
        {kind !== "none" && inner.secret === undefined && (
          <Field label="Secret" hint="A reference: ${env:NAME} or ${file:PATH}. Secrets themselves are never shown.">
            <Input
              value={textOf(value.secret)}
              autoComplete="off"
              spellCheck={false}
              placeholder="${env:ASSENT_SECRET_ORDERS}"
              onChange={(e) => set(["secret"], e.target.value)}
            />
          </Field>
        )}
      </div>
      {kind === "none" && (
        <p role="status" className="mb-3 rounded-md bg-warn-bg px-3 py-2 text-warn-text">
          {verifyKind.none.sentence}
        </p>
      )}
      <MapFields {...props} />
      <Field label="What identifies a delivery" hint="A path into the payload. Empty: the sender's id, or the content">
        <Input
          value={textOf(value.dedupe)}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => set(["dedupe"], e.target.value)}
        />
      </Field>
    </>
  );
}

/** Fields of the input, each with a path into the payload. */
function MapFields({ value, set }: FormProps) {
  const map = objectOf(value.map);
  const [field, setField] = useState("");
  const [path, setPath] = useState("");
  const ready = field.trim() !== "" && path.trim() !== "";
  const add = () => {
    if (!ready) return;
    set(["map", field.trim()], path.trim());
    setField("");
    setPath("");
  };
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 font-semibold">Input of the run</legend>
      <p className="mb-2 text-small text-muted">
        {Object.keys(map).length === 0
          ? "The whole payload is the input, unless you choose fields."
          : "Each field takes a value out of the payload."}
      </p>
      {Object.entries(map).map(([name, from]) => (
        <div key={name} className="mb-2 flex items-center gap-2">
          <span className="min-w-0 flex-1 break-words">{name}</span>
          <Input
            aria-label={`Path of ${name}`}
            className="flex-1"
            value={textOf(from)}
            autoComplete="off"
            spellCheck={false}
            onChange={(e) => e.target.value && set(["map", name], e.target.value)}
          />
          <IconButton label={`Remove ${name}`} onClick={() => set(["map", name], "")}>
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <form
        aria-label="Add a field"
        className="flex gap-2 max-sm:flex-wrap"
        onSubmit={(e) => {
          e.preventDefault();
          add();
        }}
      >
        <Input
          aria-label="Field of the input"
          placeholder="customer.name"
          value={field}
          autoComplete="off"
          onChange={(e) => setField(e.target.value)}
        />
        <Input
          aria-label="Path into the payload"
          placeholder="data.order.customer"
          value={path}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => setPath(e.target.value)}
        />
        <Button type="submit" disabled={!ready}>
          <Plus aria-hidden /> Add
        </Button>
      </form>
    </fieldset>
  );
}
