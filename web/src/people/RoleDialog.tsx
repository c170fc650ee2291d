import { useState } from "react";
import { type Role, useSaveRole } from "../api/access";
import { ApiError } from "../api/error";
import type { ApprovalKind } from "../api/types";
import { diffOf } from "../decide/diff";
import { raw, treeOf } from "../json";
import { Button, Dialog, Diff, ErrorNote, Field, Input, toast } from "../ui";
import { Ticked } from "../ui/Ticked";
import { Visible } from "../ui/Visible";
import { approvalKind, format } from "../words";
import { author } from "../words/author";
import { rightText } from "./rights";
import { neededBy } from "./WithdrawRole";

/** Permissions to choose from; "decide" covers all acts on approvals. */
const choices: [permission: string, hint: string][] = [
  ["view", "Runs, approvals, workflows, agents and the policy"],
  ["comment", "On approvals; comments decide nothing"],
  ["decide", "Approve, reject, edit and every other answer"],
  ["start", "Start runs of workflows"],
  ["command", "Pause, resume, cancel and steer runs"],
  ["audit", "Every entry of the audit log"],
  ["sensitive", "Values that are masked for others"],
  ["admin", "Everything, also accounts and this page"],
];

const list = (text: string) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

// The form is longer than a phone.
const intoView = (note: HTMLElement | null) => note?.scrollIntoView({ block: "nearest" });

interface Props {
  /** As it was when the dialog opened; missing: a new role. */
  role?: Role;
  /** As it is now. */
  current?: Role;
  taken: string[];
  onClose: () => void;
}

/** A new role, or another version of one. */
export function RoleDialog({ role, current, taken, onClose }: Props) {
  const save = useSaveRole();
  const late = save.error instanceof ApiError && save.error.code === "version_mismatch";
  // Once a conflict is reported and shown, saving replaces the other version.
  const changed = late && role && current && current.version !== role.version ? current : undefined;
  const holders = save.error ? neededBy(save.error) : undefined;
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const [permissions, setPermissions] = useState(role && !role.withdrawn ? role.permissions : ["view"]);
  const [workflows, setWorkflows] = useState(role && !role.every_workflow ? role.workflows.join(", ") : "");
  const [everywhere, setEverywhere] = useState(!role || role.withdrawn || role.every_workflow);
  const [kinds, setKinds] = useState<ApprovalKind[]>(role?.kinds ?? []);
  const [actAs, setActAs] = useState(role?.can_act_as.join(", ") ?? "");
  // Permissions that the form has no box for stay as they are.
  const more = permissions.filter((one) => !choices.some(([known]) => known === one));
  const known = !role && (taken.includes(name.trim()) || (late && save.variables?.name === name.trim()));
  const fault =
    known && !save.isPending && !save.isSuccess
      ? "This name is taken. Edit the existing role, or choose another name."
      : undefined;
  const toggle = (permission: string, on: boolean) =>
    setPermissions(on ? [...permissions, permission] : permissions.filter((one) => one !== permission));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={role ? `Edit the role ${format.title(role.name)}` : "New role"}
      description={
        role?.withdrawn
          ? "This role was withdrawn. Saving puts it in force again."
          : role?.built_in
            ? "This role comes with Assent. Your version replaces it."
            : "It takes effect at once, for everyone who has the role."
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="filled"
            loading={save.isPending}
            disabled={name.trim() === "" || !!fault || (!everywhere && list(workflows).length === 0)}
            onClick={() =>
              save.mutate(
                {
                  name: name.trim(),
                  description: description.trim(),
                  permissions,
                  workflows: everywhere ? undefined : list(workflows),
                  kinds: kinds.length > 0 ? kinds : undefined,
                  canActAs: list(actAs),
                  restore: !!holders,
                  over: (changed ?? (holders ? current : role))?.version ?? 0,
                },
                {
                  onSuccess: () => {
                    toast({ title: `The role ${format.title(name.trim())} is in force`, tone: "ok" });
                    onClose();
                  },
                },
              )
            }
          >
            {holders ? "Give it back to them" : changed ? "Replace theirs with mine" : "Save"}
          </Button>
        </>
      }
    >
      {!role && (
        <Field label="Name" hint="Lower-case letters, digits and -, such as finance" error={fault}>
          <Input value={name} autoFocus autoComplete="off" onChange={(e) => setName(e.target.value)} />
        </Field>
      )}
      <Field label="Description">
        <Input value={description} autoComplete="off" onChange={(e) => setDescription(e.target.value)} />
      </Field>
      <fieldset className="mb-4">
        <legend className="mb-1 text-small font-medium">Permissions</legend>
        {choices.map(([permission, hint]) => (
          <Ticked
            key={permission}
            label={rightText(permission)}
            hint={hint}
            checked={permissions.includes(permission)}
            onChange={(on) => toggle(permission, on)}
          />
        ))}
        {more.map((permission) => (
          <Ticked key={permission} label={rightText(permission)} checked onChange={() => toggle(permission, false)} />
        ))}
      </fieldset>
      <fieldset className="mb-4">
        <legend className="mb-1 text-small font-medium">Where</legend>
        <Ticked label="In every workflow" checked={everywhere} onChange={setEverywhere} />
        {!everywhere && (
          <Input
            aria-label="Workflows"
            placeholder="refund, claims-*"
            className="mt-1"
            autoComplete="off"
            value={workflows}
            onChange={(e) => setWorkflows(e.target.value)}
          />
        )}
      </fieldset>
      <fieldset className="mb-4">
        <legend className="mb-1 text-small font-medium">Only approvals of these kinds</legend>
        <p className="mb-1 text-small text-muted">None ticked: all kinds</p>
        {(Object.keys(approvalKind) as ApprovalKind[]).map((kind) => (
          <Ticked
            key={kind}
            label={approvalKind[kind].label}
            checked={kinds.includes(kind)}
            onChange={(on) => setKinds(on ? [...kinds, kind] : kinds.filter((one) => one !== kind))}
          />
        ))}
      </fieldset>
      <Field label="May act as" hint="Other roles, separated by commas; usually none">
        <Input value={actAs} autoComplete="off" onChange={(e) => setActAs(e.target.value)} />
      </Field>
      {holders ? (
        <div role="alert" ref={intoView} className="mt-2">
          <p className="mb-1 font-medium">This role was withdrawn. These would have it again:</p>
          <ul aria-label="Holders" className="list-disc pl-5">
            {holders.map((one) => (
              <li key={one} className="break-words">
                <Visible text={one} />
              </li>
            ))}
          </ul>
        </div>
      ) : changed && role ? (
        <Changed from={role} to={changed} />
      ) : (
        save.error && !(late && fault) && <ErrorNote error={save.error} />
      )}
    </Dialog>
  );
}

/** What someone else did to the role while the dialog was open. */
function Changed({ from, to }: { from: Role; to: Role }) {
  const facts = (role: Role) =>
    treeOf(
      raw(
        JSON.stringify({
          Description: role.description,
          Permissions: role.permissions.map(rightText).join(", "),
          Workflows: role.every_workflow ? "Every workflow" : role.workflows.join(", "),
          Approvals: role.kinds.map((kind) => approvalKind[kind].label).join(", ") || "All kinds",
          "May act as": role.can_act_as.join(", "),
        }),
      ),
    );
  return (
    <div role="alert" ref={intoView}>
      <p className="mb-2">
        {to.version === 0 ? (
          "This role was withdrawn while you were editing. If you save, it is in force again."
        ) : (
          <>
            <Visible text={author(to.by)} /> changed this role while you were editing. Nothing of yours was saved. If
            you save, yours replaces these changes:
          </>
        )}
      </p>
      {to.version !== 0 && <Diff changes={diffOf(facts(from), facts(to))} />}
    </div>
  );
}
