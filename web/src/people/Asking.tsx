import { useState } from "react";
import { useApprovals, useWorkflows } from "../api";
import { useAccounts, useRoles } from "../api/access";
import type { ApprovalKind, TokenKind } from "../api/types";
import { Button, Card, Field, Input, Select } from "../ui";
import { approvalKind, format, tokenKind } from "../words";
import { actions, isAction, onOneApproval } from "../words/actions";
import { missing, type Question } from "./question";

const targets = [
  { value: "", label: "Anywhere" },
  { value: "workflow", label: "One workflow" },
  { value: "approval", label: "One approval" },
];

/** The question as a form. */
export function Asking({ asked, onAsk }: { asked: Question; onAsk: (question: Question) => void }) {
  const { data: accounts } = useAccounts();
  const key = JSON.stringify(asked);
  const [shown, setShown] = useState(key);
  const [form, setForm] = useState(asked);
  const [roles, setRoles] = useState(asked.roles.join(", "));
  if (shown !== key) {
    // Another question, such as by the browser's back button.
    setShown(key);
    setForm(asked);
    setRoles(asked.roles.join(", "));
  }
  const set = (change: Partial<Question>) => setForm((now) => ({ ...now, ...change }));
  const question = { ...form, roles: split(roles) };
  const offered = Object.entries(actions).filter(
    ([name]) => form.target !== "approval" || (isAction(name) && onOneApproval(name)),
  );
  return (
    <Card title="Question">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (missing(question) === undefined) onAsk(question);
        }}
      >
        <datalist id="people">
          {accounts?.items.map((one) => (
            <option key={one.name} value={one.name} />
          ))}
        </datalist>
        <Field label="Name">
          <Input
            list="people"
            autoComplete="off"
            placeholder="A name, such as ann"
            value={form.user}
            onChange={(e) => set({ user: e.target.value })}
          />
        </Field>
        <Field label="Kind">
          <Select
            className="w-full"
            value={form.as}
            onValueChange={(as) =>
              set({ as: as as TokenKind, ...(as !== "person" && form.target === "approval" ? { target: "" } : {}) })
            }
            options={[
              { value: "person", label: "A person" },
              { value: "service", label: "A program", hint: `Token of kind ${tokenKind.service.label.toLowerCase()}` },
              { value: "agent", label: "An agent", hint: `Token of kind ${tokenKind.agent.label.toLowerCase()}` },
            ]}
          />
        </Field>
        <Field label="Roles" hint={form.as === "person" ? "Empty: those of the account" : "Those of the token"}>
          <Input
            autoComplete="off"
            placeholder="Such as finance, approver"
            value={roles}
            onChange={(e) => setRoles(e.target.value)}
          />
        </Field>
        <Field label="Action">
          <Select
            className="w-full"
            value={form.action}
            onValueChange={(name) => set({ action: isAction(name) ? name : "" })}
            options={[
              { value: "", label: "Anything: list everything" },
              ...offered.map(([value, { label }]) => ({ value, label })),
            ]}
          />
        </Field>
        <Field label="Where">
          <Select
            className="w-full"
            value={form.target}
            onValueChange={(target) =>
              set({
                target: target as Question["target"],
                ...(target === "approval" && form.action && !onOneApproval(form.action) ? { action: "" } : {}),
              })
            }
            options={form.as === "person" ? targets : targets.filter(({ value }) => value !== "approval")}
          />
        </Field>
        <Target form={form} onChange={set} />
        <Button type="submit" look="filled" disabled={missing(question) !== undefined}>
          Explain
        </Button>
      </form>
    </Card>
  );
}

const split = (text: string) =>
  text
    .split(",")
    .map((role) => role.trim())
    .filter(Boolean);

/** The workflow or approval it is about, and which approvals. */
function Target({ form, onChange }: { form: Question; onChange: (change: Partial<Question>) => void }) {
  if (form.target === "approval")
    return <OneApproval value={form.approval} onChange={(approval) => onChange({ approval })} />;
  return (
    <>
      {form.target === "workflow" && (
        <OneWorkflow value={form.workflow} onChange={(workflow) => onChange({ workflow })} />
      )}
      {form.action !== "" && form.action !== "see" && onOneApproval(form.action) && (
        <Kind form={form} onChange={onChange} />
      )}
    </>
  );
}

function OneApproval({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data } = useApprovals({ limit: 50, sort: "newest" });
  const known = (data?.items ?? []).map((one) => ({ value: one.id, label: one.title }));
  return (
    <Field label="Approval">
      <Select
        className="w-full"
        value={value}
        placeholder="Choose an approval"
        onValueChange={onChange}
        options={withOwn(known, value, format.shortId)}
      />
    </Field>
  );
}

function OneWorkflow({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const { data } = useWorkflows();
  const known = (data?.items ?? []).map((one) => ({ value: one.name, label: format.title(one.name) }));
  return (
    <Field label="Workflow">
      <Select
        className="w-full"
        value={value}
        placeholder="Choose a workflow"
        onValueChange={onChange}
        options={withOwn(known, value, format.title)}
      />
    </Field>
  );
}

function Kind({ form, onChange }: { form: Question; onChange: (change: Partial<Question>) => void }) {
  const { data } = useRoles();
  const known = (data?.items ?? []).map((one) => ({ value: one.name, label: format.title(one.name) }));
  return (
    <div className="grid gap-x-3 sm:grid-cols-2">
      <Field label="Kind of approval">
        <Select
          className="w-full"
          value={form.kind}
          onValueChange={(kind) => onChange({ kind: kind as ApprovalKind })}
          options={Object.entries(approvalKind).map(([value, { label }]) => ({ value, label }))}
        />
      </Field>
      <Field label="That asks">
        <Select
          className="w-full"
          value={form.asks}
          onValueChange={(asks) => onChange({ asks })}
          options={withOwn([{ value: "", label: "Anyone" }, ...known], form.asks, format.title)}
        />
      </Field>
    </div>
  );
}

/** The options, and the value of the URL if it is none of them. */
function withOwn(options: { value: string; label: string }[], value: string, label: (value: string) => string) {
  return value === "" || options.some((one) => one.value === value)
    ? options
    : [...options, { value, label: label(value) }];
}
