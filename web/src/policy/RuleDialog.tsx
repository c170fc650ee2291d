import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { useAgents, useTools, useWorkflows } from "../api";
import type { RiskLevel, TimeoutAct } from "../api/types";
import { Button, Dialog, Field, IconButton, Input, Select, Textarea } from "../ui";
import { Ticked } from "../ui/Ticked";
import { onTimeout, risk, ruleEffect } from "../words";
import { type Comparison, editsOf, faultsOf, formOf, operators, type RuleForm } from "./form";
import type { Card, Edits } from "./model";
import { Rollout } from "./Rollout";

interface Props {
  /** Missing: a new rule. */
  card?: Card;
  onClose: () => void;
  onSave: (edits: Edits, first: boolean) => void;
}

const effects = {
  ask: "Ask people",
  approve: "Approve automatically",
  deny: "Refuse",
} as const;

/** A rule as a form. What the form does not show stays as written. */
export function RuleDialog({ card, onClose, onSave }: Props) {
  const [before] = useState(() => formOf(card));
  const [form, setForm] = useState(before);
  const [tried, setTried] = useState(false);
  const [first, setFirst] = useState(false);
  const set = (change: Partial<RuleForm>) => setForm((now) => ({ ...now, ...change }));
  const faults = tried ? faultsOf(form) : {};
  const save = () => {
    setTried(true);
    if (Object.keys(faultsOf(form)).length > 0) return;
    onSave(editsOf(before, form, card && card.priority === undefined ? "conditions" : "trigger"), first);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={card ? `Edit ${card.name}` : "Add rule"}
      description="Nothing changes for agents until you publish."
      className="sm:w-[min(680px,calc(100vw-32px))]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="filled" onClick={save}>
            {card ? "Apply" : "Add rule"}
          </Button>
        </>
      }
    >
      <Field label="Name" error={faults.name}>
        <Input value={form.name} maxLength={200} onChange={(e) => set({ name: e.target.value })} />
      </Field>
      <Triggers form={form} set={set} fault={faults.comparisons} confidenceFault={faults.confidence} />
      <h3 className="mt-2 mb-2 border-t pt-4 font-semibold">Then</h3>
      <Choice form={form} set={set} />
      {form.effect === "deny" && (
        <Field label="Reason" hint="Agents and people see this text." error={faults.deny}>
          <Textarea value={form.deny} onChange={(e) => set({ deny: e.target.value })} />
        </Field>
      )}
      {form.effect === "approve" && <Approving form={form} set={set} faults={faults} />}
      {form.effect !== "deny" && <Asking form={form} set={set} faults={faults} />}
      {!card && (
        <Ticked
          label="Evaluate it before all other rules"
          checked={first}
          onChange={setFirst}
          hint="Otherwise it comes last. You can move it later."
        />
      )}
    </Dialog>
  );
}

type Set = (change: Partial<RuleForm>) => void;
type Faults = ReturnType<typeof faultsOf>;

function Triggers(props: { form: RuleForm; set: Set; fault?: string; confidenceFault?: string }) {
  const { form, set, fault, confidenceFault } = props;
  const workflows = useWorkflows().data?.items.map((w) => w.name) ?? [];
  const agents = useAgents().data?.items.map((a) => a.name) ?? [];
  const tools = useTools().data?.items ?? [];
  const operations = [...new Set(tools.flatMap((t) => (t.operation ? [t.operation] : [])))];
  return (
    <>
      <h3 className="mt-2 mb-1 border-t pt-4 font-semibold">When</h3>
      <p className="mb-3 text-small text-muted">
        All conditions have to match. Separate several names with commas; * at the end matches any ending.
      </p>
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Names
          label="Operations"
          value={form.operations}
          known={operations}
          hint="Such as refund"
          onChange={(operations) => set({ operations })}
        />
        <Names label="Tools" value={form.tools} known={tools.map((t) => t.name)} onChange={(tools) => set({ tools })} />
        <Names
          label="Workflows"
          value={form.workflows}
          known={workflows}
          onChange={(workflows) => set({ workflows })}
        />
        <Names label="Agents" value={form.agents} known={agents} onChange={(agents) => set({ agents })} />
      </div>
      <fieldset className="mb-4">
        <legend className="mb-1 text-small font-medium">Risk</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {(Object.keys(risk) as RiskLevel[]).map((level) => (
            <Ticked
              key={level}
              label={risk[level].label}
              checked={form.risks.includes(level)}
              onChange={(on) => set({ risks: on ? [...form.risks, level] : form.risks.filter((one) => one !== level) })}
            />
          ))}
        </div>
      </fieldset>
      <Comparisons list={form.comparisons} fault={fault} onChange={(comparisons) => set({ comparisons })} />
      <div className="grid gap-x-4 sm:grid-cols-2">
        <Field label="Agent's confidence" hint="Such as < 0.75" error={confidenceFault}>
          <Input value={form.confidence} onChange={(e) => set({ confidence: e.target.value })} />
        </Field>
        <Field label="Expression" hint={'Such as tags contains "vip"'}>
          <Input
            value={form.expr}
            spellCheck={false}
            className="font-mono"
            onChange={(e) => set({ expr: e.target.value })}
          />
        </Field>
      </div>
    </>
  );
}

function Names(props: {
  label: string;
  value: string;
  known: string[];
  hint?: string;
  onChange: (value: string) => void;
}) {
  const { label, value, known, hint, onChange } = props;
  const id = useId();
  return (
    <>
      <Field label={label} hint={hint}>
        <Input
          value={value}
          list={id}
          placeholder="Any"
          spellCheck={false}
          autoComplete="off"
          onChange={(e) => onChange(e.target.value)}
        />
      </Field>
      <datalist id={id}>
        {known.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function Comparisons(props: { list: Comparison[]; fault?: string; onChange: (list: Comparison[]) => void }) {
  const { list, fault, onChange } = props;
  const set = (i: number, change: Partial<Comparison>) =>
    onChange(list.map((one, k) => (k === i ? { ...one, ...change } : one)));
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 text-small font-medium">Data</legend>
      <ul className="space-y-2">
        {list.map((one, i) => (
          <li key={i} className="flex flex-wrap items-center gap-2">
            <Input
              aria-label="Field"
              placeholder="amount"
              className="w-32 flex-1"
              value={one.field}
              onChange={(e) => set(i, { field: e.target.value })}
            />
            <Select
              label="Of what"
              value={one.sum}
              onValueChange={(sum) => set(i, { sum })}
              options={[
                { value: "", label: "of each action" },
                { value: "run", label: "summed up in the run" },
                { value: "24h", label: "summed up over 24 h" },
                { value: "7d", label: "summed up over 7 d" },
                ...(["", "run", "24h", "7d"].includes(one.sum)
                  ? []
                  : [{ value: one.sum, label: `summed up over ${one.sum}` }]),
              ]}
            />
            <Select
              label="Comparison"
              className="min-w-20"
              value={one.operator}
              onValueChange={(operator) => set(i, { operator })}
              options={operators.map((value) => ({ value, label: value }))}
            />
            <Input
              aria-label="Value"
              placeholder="1000"
              className="w-24 flex-1"
              value={one.value}
              onChange={(e) => set(i, { value: e.target.value })}
            />
            <IconButton label="Remove this comparison" onClick={() => onChange(list.toSpliced(i, 1))}>
              <X aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {fault && (
        <p role="alert" className="mt-1 text-small text-bad-text">
          {fault}
        </p>
      )}
      <Button
        size="small"
        className="mt-2"
        onClick={() => onChange([...list, { field: "", operator: ">", value: "", sum: "", rest: {} }])}
      >
        <Plus aria-hidden /> Compare a field
      </Button>
    </fieldset>
  );
}

function Choice({ form, set }: { form: RuleForm; set: Set }) {
  return (
    <div role="radiogroup" aria-label="Effect" className="mb-4 grid gap-2 sm:grid-cols-3">
      {(Object.keys(effects) as (keyof typeof effects)[]).map((effect) => {
        const Icon = ruleEffect[effect].icon;
        return (
          <label
            key={effect}
            className="flex min-h-(--tap) cursor-pointer items-center gap-2 rounded-sm border border-border-strong px-3 has-checked:border-accent has-checked:bg-accent-bg has-checked:text-accent-text has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name="effect"
              className="sr-only"
              checked={form.effect === effect}
              onChange={() => set({ effect })}
            />
            <Icon aria-hidden className="size-4" />
            {effects[effect]}
          </label>
        );
      })}
    </div>
  );
}

function Approving({ form, set, faults }: { form: RuleForm; set: Set; faults: Faults }) {
  return (
    <>
      {form.rollout !== undefined && (
        <div className="mb-4">
          <Rollout name={form.name} percent={form.rollout} onChange={(rollout) => set({ rollout })} />
        </div>
      )}
      <div className="grid gap-x-4 sm:grid-cols-3">
        <Field label="Review afterwards (%)" hint="Sampled at random" error={faults.sample}>
          <Input inputMode="decimal" value={form.sample} onChange={(e) => set({ sample: e.target.value })} />
        </Field>
        <Field label="Maximum uses" hint="Empty: no limit" error={faults.uses}>
          <Input inputMode="numeric" value={form.uses} onChange={(e) => set({ uses: e.target.value })} />
        </Field>
        <Field label="Until" hint="Empty: no end" error={faults.expires}>
          <Input
            type={/^(\d{4}-\d\d-\d\d)?$/.test(form.expires) ? "date" : "text"}
            value={form.expires}
            onChange={(e) => set({ expires: e.target.value })}
          />
        </Field>
      </div>
      <div className="mb-4">
        <Ticked
          label="Also approve actions that can't be undone"
          checked={form.irreversible}
          onChange={(irreversible) => set({ irreversible })}
        />
      </div>
      <h4 className="mb-1 text-small font-medium">When it may not approve, ask</h4>
    </>
  );
}

function Asking({ form, set, faults }: { form: RuleForm; set: Set; faults: Faults }) {
  return (
    <div className="grid gap-x-4 sm:grid-cols-2">
      <Field label="Role" hint="Empty: the role the workflow asks">
        <Input value={form.role} onChange={(e) => set({ role: e.target.value })} />
      </Field>
      <Field label="Approvals needed" hint="Empty: 1" error={faults.count}>
        <Input inputMode="numeric" value={form.count} onChange={(e) => set({ count: e.target.value })} />
      </Field>
      <Field label="Deadline, hours" hint="Empty: none" error={faults.hours}>
        <Input inputMode="decimal" value={form.hours} onChange={(e) => set({ hours: e.target.value })} />
      </Field>
      {form.hours.trim() !== "" && (
        <Field label="At the deadline">
          <Select
            className="w-full"
            value={form.onTimeout || "pause"}
            onValueChange={(value) => set({ onTimeout: value })}
            options={(Object.keys(onTimeout) as TimeoutAct[]).map((value) => ({
              value,
              label: onTimeout[value].label,
            }))}
          />
        </Field>
      )}
    </div>
  );
}
