import { Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import { Button, IconButton } from "../ui/Button";
import { Checkbox } from "../ui/Checkbox";
import { Field } from "../ui/Field";
import { Input } from "../ui/Input";
import { Select } from "../ui/Select";
import { act as actWord } from "../words";
import { answerKind, optionsOf, rejectWord, requesterWord, thenWord } from "../words/fields";
import type { Path } from "../yaml/splice";
import { ListAt, listOf, type Part, TickAt } from "./Fields";
import { More } from "./More";
import { type At, addBelow, deadline, dropBelow, gateOrder, setBelow, setChanged } from "./model/edit";
import type { Question } from "./model/flow";
import { NotifyFields } from "./NotifyFields";
import { RoleNames } from "./RoleNames";
import { SchemaFields, SchemaJson } from "./SchemaFields";
import { stepTitle } from "./say";
import type { Studio } from "./studio";
import { TextField } from "./TextField";

const ways = ["reject", "request_revision", "escalate", "delegate"] as const;
/** The answers that suit each kind. */
const actsOf: Record<string, readonly (keyof typeof actWord)[]> = {
  approval: ["approve", "modify", ...ways],
  escalation: ["approve", "modify", ...ways],
  choice: ["choose", ...ways],
  input: ["submit", "approve", ...ways],
};

/** What a question is, if it does not say. */
export const kindOf = (question: Question): string =>
  question.kind ?? (question.options ? "choice" : question.input_schema ? "input" : "approval");

interface Props {
  question: Question;
  at: At;
  /** How it is called in the history. */
  name: string;
  /** Names its fields in the history. */
  id: string;
  studio: Studio;
}

function useQuestion({ at, name, id, studio }: Props) {
  const { editor } = studio;
  const set = (path: Path, value: unknown, what: string, typed = false) =>
    editor.edit(
      (yaml) => setBelow(yaml, at, path, value),
      `Change ${what} of ${name}`,
      typed ? `${id} ${path.join(" ")}` : undefined,
    );
  const add = (path: Path, value: unknown, what: string) =>
    editor.edit((yaml) => addBelow(yaml, at, path, value), `Add ${what} to ${name}`);
  const drop = (path: Path, index: number, of: number, what: string) =>
    editor.edit((yaml) => dropBelow(yaml, at, path, index, of), `Remove ${what} from ${name}`);
  const fault = (path: Path) => {
    const base = at(editor.content.yaml);
    return base && studio.faultAt([...base, ...path]);
  };
  return { set, add, drop, fault, editable: editor.editable };
}

function usePart(props: Props): Part {
  const { set, fault, editable } = useQuestion(props);
  return {
    editable,
    fault,
    change: (path, value, label, typed) => set(path, value, label.replace(/^Change:? /, ""), typed),
  };
}

/** What is shown beside it, whether rules may answer it, and where messages go. */
export function QuestionMore(props: Props) {
  const { question, studio } = props;
  const part = usePart(props);
  const [first] = studio.editor.flow.steps;
  return (
    <More label="More about the question" wrong={[["show"], ["notify"]].some((path) => part.fault(path) !== undefined)}>
      <ListAt
        part={part}
        path={["show"]}
        label="Show beside it"
        what="the fields that are shown"
        value={question.show}
        hint={`Paths, separated by commas, such as input.amount${first ? `, ${first.id}.text` : ""}`}
      />
      <TickAt
        part={part}
        path={["auto_approvable"]}
        label="A policy rule may answer it"
        on={question.auto_approvable === true}
        className="mb-2"
      />
      <NotifyFields part={part} notify={question.notify} />
    </More>
  );
}

/** The question: the kind of answer, with options or a form. */
export function QuestionKind(props: Props) {
  const { question, at, name, studio } = props;
  const { set, add, drop, fault, editable } = useQuestion(props);
  const kind = kindOf(question);
  const options = question.options ?? [];
  return (
    <section aria-label="Answer">
      <Field label="Answer">
        <Select
          value={kind}
          className="w-full"
          disabled={!editable}
          onValueChange={(value) => set(["kind"], value, "the kind of answer")}
          options={optionsOf(answerKind)}
        />
      </Field>
      {kind === "choice" && (
        <>
          <h4 className="mb-1 text-small font-medium">Options</h4>
          {options.length === 0 && <p className="text-small text-muted">A choice needs at least one option.</p>}
          <ul className="space-y-1">
            {options.map((option, i) => (
              <li key={i} className="flex flex-wrap items-center gap-1">
                <Input
                  aria-label={`Value of option ${i + 1}`}
                  className="w-28 flex-none"
                  value={String(option.value ?? "")}
                  disabled={!editable}
                  onChange={(e) => set(["options", i, "value"], e.target.value, `option ${i + 1}`, true)}
                />
                <Input
                  aria-label={`Label of option ${i + 1}`}
                  className="w-28 flex-1"
                  placeholder="Label"
                  value={option.label ?? ""}
                  disabled={!editable}
                  onChange={(e) =>
                    set(["options", i, "label"], e.target.value || undefined, `the label of option ${i + 1}`, true)
                  }
                />
                {editable && (
                  <IconButton
                    label={`Remove option ${i + 1}`}
                    onClick={() => drop(["options"], i, options.length, `option ${i + 1}`)}
                  >
                    <Trash2 />
                  </IconButton>
                )}
                <Input
                  aria-label={`Description of option ${i + 1}`}
                  placeholder="What it means"
                  value={option.description ?? ""}
                  disabled={!editable}
                  onChange={(e) =>
                    set(
                      ["options", i, "description"],
                      e.target.value || undefined,
                      `the description of option ${i + 1}`,
                      true,
                    )
                  }
                />
              </li>
            ))}
          </ul>
          {editable && (
            <Button
              size="small"
              className="mt-1"
              onClick={() =>
                add(
                  ["options"],
                  { value: `option_${options.length + 1}`, label: `Option ${options.length + 1}` },
                  "an option",
                )
              }
            >
              <Plus aria-hidden /> Add an option
            </Button>
          )}
        </>
      )}
      {kind === "input" && (
        <>
          <h4 className="mb-1 text-small font-medium">Fields of the form</h4>
          <SchemaFields
            schema={question.input_schema}
            noun="form field"
            editable={editable}
            onChange={(changes, label) =>
              studio.editor.edit(
                (yaml) => changes.reduce((text, c) => setBelow(text, at, ["input_schema", ...c.path], c.value), yaml),
                `${label} of ${name}`,
              )
            }
          />
          <SchemaJson
            schema={question.input_schema}
            noun="form"
            editable={editable}
            fault={fault(["input_schema"])}
            onChange={(value) =>
              studio.editor.edit((yaml) => {
                const base = at(yaml);
                return base
                  ? setChanged(yaml, [...base, "input_schema"], question.input_schema, value, gateOrder)
                  : yaml;
              }, `Change the form of ${name}`)
            }
          />
        </>
      )}
    </section>
  );
}

/** Who is asked, and how many have to agree. */
export function QuestionPeople(props: Props) {
  const { question, studio } = props;
  const { set, editable } = useQuestion(props);
  const list = useId();
  const byRole = Object.entries(question.roles ?? {});
  return (
    <section className="grid grid-cols-2 gap-x-3">
      <h3 className="col-span-2 mb-1 text-control font-semibold">Who is asked</h3>
      <RoleNames id={list} roles={studio.roles} />
      <TextField
        label="Role"
        list={list}
        value={question.role ?? ""}
        placeholder="Anyone"
        disabled={!editable}
        onChange={(value) => set(["role"], value || undefined, "the role", true)}
      />
      <TextField
        label="Approvals needed"
        value={question.quorum === undefined ? "" : String(question.quorum)}
        placeholder={byRole.length > 0 ? String(byRole.reduce((sum, [, n]) => sum + Number(n), 0)) : "1"}
        disabled={!editable}
        hint="From 2 on, not by the requester"
        onChange={(value) => set(["quorum"], /^[1-9]\d*$/.test(value) ? Number(value) : undefined, "the quorum", true)}
      />
      <TextField
        label="People"
        late
        value={(question.assignees ?? []).join(", ")}
        disabled={!editable}
        hint="Names, or role:press"
        onChange={(value) => set(["assignees"], listOf(value), "the people")}
      />
      <TextField
        label="One of each role"
        late
        value={byRole.map(([role, n]) => (Number(n) === 1 ? role : `${role}: ${n}`)).join(", ")}
        disabled={!editable}
        hint="Such as finance: 1, legal: 2"
        onChange={(value) => set(["roles"], rolesOf(value), "the roles")}
      />
      <Field label="Requester" className="col-span-2">
        <Select
          value={question.requester ?? ""}
          className="w-full"
          disabled={!editable}
          onValueChange={(value) => set(["requester"], value || undefined, "whether the requester may decide")}
          options={[{ value: "", label: "May decide if one approval is enough" }, ...optionsOf(requesterWord)]}
        />
      </Field>
    </section>
  );
}

/** "finance, legal: 2" */
function rolesOf(text: string): Record<string, number> | undefined {
  const all = (listOf(text) ?? []).map((one): [string, number] => {
    const [role = "", n = "1"] = one.split(":").map((part) => part.trim());
    return [role, /^[1-9]\d*$/.test(n) ? Number(n) : 1];
  });
  return all.length > 0 ? Object.fromEntries(all) : undefined;
}

/** Until when, what happens then, and who else is asked in the meantime. */
export function QuestionDeadline(props: Props) {
  const { question, at, name, id, studio } = props;
  const { set, add, drop, editable } = useQuestion(props);
  const part = usePart(props);
  const list = useId();
  const { timeout } = question;
  const escalate = question.escalate ?? [];
  return (
    <section aria-label="Deadline" className="grid grid-cols-2 gap-x-3">
      <h3 className="col-span-2 mb-1 text-control font-semibold">Deadline</h3>
      <TextField
        label="After"
        value={timeout?.after ?? ""}
        placeholder="Waits forever"
        disabled={!editable}
        hint="Such as 4h or 2d"
        onChange={(value) =>
          value
            ? studio.editor.edit(
                (yaml) =>
                  timeout
                    ? setBelow(yaml, at, ["timeout", "after"], value)
                    : setBelow(yaml, at, ["timeout"], deadline(value, "reject")),
                `Change the deadline of ${name}`,
                `${id} timeout`,
              )
            : set(["timeout"], undefined, "the deadline")
        }
      />
      <Field label="Then">
        <Select
          value={timeout?.then ?? ""}
          className="w-full"
          disabled={!editable || !timeout}
          placeholder="–"
          onValueChange={(value) => set(["timeout", "then"], value, "what happens at the deadline")}
          options={optionsOf(thenWord)}
        />
      </Field>
      {timeout?.then === "default" && (
        <TextField
          label="Default answer"
          className="col-span-2"
          late
          value={
            timeout.default === undefined
              ? ""
              : typeof timeout.default === "string"
                ? timeout.default
                : JSON.stringify(timeout.default)
          }
          disabled={!editable}
          hint={kindOf(question) === "choice" ? "The value of an option" : "As JSON"}
          onChange={(value) => set(["timeout", "default"], typedValue(value), "the default answer")}
        />
      )}
      {timeout?.then === "approve" && (
        <TickAt
          part={part}
          path={["timeout", "irreversible"]}
          label="Even if it cannot be undone"
          on={timeout.irreversible === true}
          className="col-span-2 mb-2"
        />
      )}
      <h4 className="col-span-2 mb-1 text-small font-medium">Escalation</h4>
      <RoleNames id={list} roles={studio.roles} prefix="role:" />
      <ul className="col-span-2 space-y-1">
        {escalate.map((level, i) => (
          <li key={i} className="flex items-center gap-1">
            <Input
              aria-label={`Escalation ${i + 1}: after`}
              placeholder="4h"
              value={String(level.after ?? "")}
              disabled={!editable}
              onChange={(e) => set(["escalate", i, "after"], e.target.value, `escalation ${i + 1}`, true)}
              className="w-20"
            />
            <Input
              aria-label={`Escalation ${i + 1}: to`}
              placeholder="role:manager"
              list={list}
              value={String(level.to ?? "")}
              disabled={!editable}
              onChange={(e) => set(["escalate", i, "to"], e.target.value, `escalation ${i + 1}`, true)}
            />
            {editable && (
              <IconButton
                label={`Remove escalation ${i + 1}`}
                onClick={() => drop(["escalate"], i, escalate.length, `escalation ${i + 1}`)}
              >
                <Trash2 />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {editable && (
        <div className="col-span-2 mt-1 mb-3">
          <Button
            size="small"
            onClick={() =>
              add(["escalate"], { after: `${4 * (escalate.length + 1)}h`, to: "role:manager" }, "an escalation")
            }
          >
            <Plus aria-hidden /> Add an escalation
          </Button>
        </div>
      )}
      <TextField
        label="Remind every"
        value={question.remind === undefined ? "" : String(question.remind)}
        placeholder="24h"
        disabled={!editable}
        hint="0: never"
        onChange={(value) => set(["remind"], timeOf(value), "the reminders", true)}
      />
      <TextField
        label="Pause the run after"
        value={question.pause_after === undefined ? "" : String(question.pause_after)}
        placeholder="72h"
        disabled={!editable}
        hint="0: never"
        onChange={(value) => set(["pause_after"], timeOf(value), "the pause", true)}
      />
    </section>
  );
}

const timeOf = (text: string): string | number | undefined => (text === "" ? undefined : text === "0" ? 0 : text);

/** What people type for a value: JSON, or else a text. */
function typedValue(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What people may do, and what a rejection leads to. */
export function QuestionOutcome(props: Props & { byDefault: string }) {
  const { question, byDefault, studio } = props;
  const { set, editable } = useQuestion(props);
  const chosen = question.acts;
  const suitable = actsOf[kindOf(question)] ?? [];
  const revises = (question.on_reject ?? byDefault) === "revise" || chosen?.includes("request_revision");
  return (
    <section aria-label="If rejected">
      <Field label="If rejected" hint={question.on_reject ? undefined : `Default: ${rejectWord[byDefault] ?? ""}`}>
        <Select
          value={question.on_reject ?? ""}
          className="w-full"
          disabled={!editable}
          onValueChange={(value) => set(["on_reject"], value || undefined, "what a rejection does")}
          options={[{ value: "", label: "Default" }, ...optionsOf(rejectWord)]}
        />
      </Field>
      {revises && (
        <Field label="Repeat from" hint="The step that a revision repeats">
          <Select
            value={question.revise ?? ""}
            className="w-full"
            disabled={!editable}
            onValueChange={(value) => set(["revise"], value || undefined, "the step that is repeated")}
            options={[
              { value: "", label: "Default" },
              ...studio.editor.flow.steps.map((s) => ({ value: s.id, label: stepTitle(s) })),
            ]}
          />
        </Field>
      )}
      {suitable.length > 0 && (
        <fieldset className="mb-3">
          <legend className="mb-1 text-small font-medium">
            Answers <span className="font-normal text-muted">{chosen ? "" : "(those that suit the question)"}</span>
          </legend>
          <ul className="grid grid-cols-2 gap-1">
            {suitable.map((one) => (
              <li key={one} className="flex min-h-8 items-center gap-2 text-control">
                <Checkbox
                  id={`${props.id}-${one}`}
                  checked={chosen?.includes(one) ?? false}
                  disabled={!editable}
                  onCheckedChange={(on) => {
                    const now = on ? [...(chosen ?? []), one] : (chosen ?? []).filter((a) => a !== one);
                    set(["acts"], now.length > 0 ? now : undefined, "the answers");
                  }}
                />
                <label htmlFor={`${props.id}-${one}`}>{actWord[one].label}</label>
              </li>
            ))}
          </ul>
        </fieldset>
      )}
    </section>
  );
}
