import { PencilLine } from "lucide-react";
import { useId, useMemo, useRef, useState } from "react";
import type { Tool } from "../../api/types";
import type { Raw, Tree } from "../../json";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { Checkbox } from "../../ui/Checkbox";
import { Field } from "../../ui/Field";
import { Input } from "../../ui/Input";
import { marked, Visible } from "../../ui/Visible";
import { format } from "../../words";
import { badNumbers } from "../edit";
import { SchemaForm } from "../form/SchemaForm";
import { type Listed, pointOf } from "../Point";
import type { Desk } from "../useDesk";
import { Values } from "../Values";
import { AddStep } from "./AddStep";
import { Effect } from "./Effect";
import { NewStep } from "./NewStep";
import {
  add,
  addedIn,
  editedInput,
  editOf,
  freeId,
  memberOf,
  pathsIn,
  performerOf,
  reasonIn,
  skip,
  skippedIn,
  stringOf,
  withInput,
  withReason,
} from "./planEdit";

/** Changes a running plan where people are asked about it: skip, edit and add steps. Loaded when it is used. */
export default function PlanForm({ desk }: { desk: Desk }) {
  const { show } = desk.whole;
  const point = useMemo(() => pointOf(show), [show]);
  const [found, setFound] = useState<Record<string, Raw | null>>({});
  const adding = useRef<HTMLDivElement>(null);
  const next = point?.next ?? [];
  const later = point?.later ?? [];
  const failed = (point?.done ?? []).filter((s) => s.status === "failed").map((s) => s.step);
  const added = addedIn(desk.edited);
  const skipped = skippedIn(desk.edited);
  const coming = [...next.map((s) => s.step), ...later];
  const places = [
    { value: "", label: "Next" },
    ...coming
      .filter((id) => !skipped.includes(id))
      .map((id) => ({ value: `before ${id}`, label: `Before ${format.title(id)}` })),
    ...failed.map((id) => ({ value: `replaces ${id}`, label: `In place of ${format.title(id)}, which failed` })),
  ];
  const taken = [...coming, ...(point?.done ?? []).map((s) => s.step), ...added.map((s) => stringOf(s, "id"))];
  const onAdd = (tool: Tool) => {
    setFound((now) => ({ ...now, [tool.name]: tool.args_schema ?? null }));
    desk.edit(add(desk.edited, tool.name, freeId(tool.name, taken)));
  };
  return (
    <div>
      {next.length > 0 && <h3 className="mb-2 text-small font-semibold">Next steps</h3>}
      <ol aria-label="Next steps" className="space-y-2 empty:hidden">
        {next.map((step) => (
          <NextStep key={step.step} desk={desk} step={step} skipped={skipped.includes(step.step)} />
        ))}
      </ol>
      {later.length > 0 && <h3 className="mt-4 mb-2 text-small font-semibold">Later steps</h3>}
      <ol aria-label="Later steps" className="space-y-2 empty:hidden">
        {later.map((id) => (
          <NextStep key={id} desk={desk} step={{ step: id }} skipped={skipped.includes(id)} />
        ))}
      </ol>
      <div ref={adding}>
        <h3 className="mt-4 mb-2 text-small font-semibold">Added steps</h3>
        <ol aria-label="Added steps" className="mb-2 space-y-2 empty:hidden">
          {added.map((step, n) => (
            <NewStep
              key={n}
              desk={desk}
              n={n}
              step={step}
              args={found[performerOf(step)]}
              places={places}
              paths={pathsIn(show)}
              onRemove={() => adding.current?.querySelector<HTMLElement>(":scope > button, [type=search]")?.focus()}
            />
          ))}
        </ol>
        <AddStep onAdd={onAdd} disabled={desk.sending} />
      </div>
      {desk.faults.size > 0 && !desk.checking && (
        <ul role="alert" className="mt-3 space-y-0.5 rounded-sm bg-bad-bg p-3 text-small text-bad-text">
          {[...desk.faults].map(([path, message]) => (
            <li key={path} className="break-words">
              {marked(message)}
            </li>
          ))}
        </ul>
      )}
      <Effect desk={desk} next={coming} />
    </div>
  );
}

function NextStep({ desk, step, skipped }: { desk: Desk; step: Partial<Listed> & { step: string }; skipped: boolean }) {
  const id = useId();
  const title = format.title(step.step);
  return (
    <li className="min-w-0 rounded-sm border p-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className={skipped ? "font-medium line-through" : "font-medium"}>
          <Visible text={title} />
        </span>
        {step.by && (
          <span className="text-small text-muted">
            <Visible text={step.by} />
          </span>
        )}
        {step.risk && <Badge tone={step.risk === "low" ? "neutral" : "warn"}>{format.title(step.risk)} risk</Badge>}
        <label htmlFor={id} className="ml-auto flex min-h-(--tap) items-center gap-2 text-control">
          <Checkbox
            id={id}
            label={`Skip ${title}`}
            checked={skipped}
            disabled={desk.sending}
            onCheckedChange={(on) => {
              desk.edit(skip(desk.edited, step.step, on));
              if (!on) desk.setNote(withReason(desk.note, step.step, ""));
            }}
          />
          Skip
        </label>
      </div>
      {skipped ? (
        <Field
          label={<Visible text={`Why skip ${title}? (optional)`} />}
          hint="Sent with your decision."
          className="-mb-1"
        >
          <Input
            value={reasonIn(desk.note, step.step)}
            disabled={desk.sending}
            onChange={(e) => desk.setNote(withReason(desk.note, step.step, e.target.value))}
          />
        </Field>
      ) : (
        <StepInput desk={desk} step={step.step} title={title} input={step.value} />
      )}
      {step.gates && step.gates.length > 0 && (
        <p className="mt-1 text-small break-words text-muted">
          Asks again before it starts: <Visible text={step.gates.join(", ")} />
        </p>
      )}
    </li>
  );
}

/** The input of a step that has not started. Text that is not a valid number yet stays in the form. */
function StepInput(props: { desk: Desk; step: string; title: string; input: Tree | undefined }) {
  const { desk, step, title, input } = props;
  const [open, setOpen] = useState(() => editOf(desk.edited, step) !== undefined);
  const [half, setHalf] = useState<Tree>();
  const asked = useRef(false);
  if (!input) return null;
  if (input.kind !== "object" || memberOf(input, "$cut")) {
    return (
      <>
        <Values tree={input} />
        <p className="mt-1 text-small text-muted">To change it, use JSON.</p>
      </>
    );
  }
  const now = half ?? editedInput(desk.edited, step, input);
  const key = `/edit_steps/${step}`;
  const change = (tree: Tree) => {
    const next = badNumbers(tree).length > 0 ? "This is not a number." : withInput(desk.edited, step, input, tree);
    desk.broken(key, typeof next === "string" ? `${title}: ${next}` : undefined);
    setHalf(typeof next === "string" ? tree : undefined);
    if (typeof next !== "string") desk.edit(next);
  };
  if (!open) {
    return (
      <div className="flex min-w-0 items-start gap-2">
        <div className="min-w-0 flex-1">
          <Values tree={now} />
        </div>
        <Button
          size="small"
          disabled={desk.sending}
          onClick={() => {
            asked.current = true;
            setOpen(true);
          }}
        >
          <PencilLine aria-hidden /> Edit<span className="sr-only"> the input of {title}</span>
        </Button>
      </div>
    );
  }
  const enter = (fields: HTMLElement | null) => {
    if (!fields || !asked.current) return;
    asked.current = false;
    fields.querySelector<HTMLElement>("input, textarea, button")?.focus();
  };
  return (
    <fieldset ref={enter} aria-label={`Input of ${title}`} className="mt-2 min-w-0">
      <SchemaForm
        tree={now}
        schema={{ type: "object", required: input.members.map((m) => m.key) }}
        faults={new Map()}
        onChange={change}
        onBroken={(pointer, message) => desk.broken(key + pointer, message)}
        disabled={desk.sending}
      />
    </fieldset>
  );
}
