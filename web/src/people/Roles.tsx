import { Pencil, Undo2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type Role, useRoles } from "../api/access";
import { Badge, Button, Card, ErrorNote, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { approvalKind, format } from "../words";
import { rightText } from "./rights";
import { WithdrawRole } from "./WithdrawRole";

const RoleDialog = lazy(async () => ({ default: (await import("./RoleDialog")).RoleDialog }));

/** What each role permits, and where. */
export function Roles() {
  const { data, error } = useRoles();
  const [editing, setEditing] = useState<Role | "new">();
  const [leaving, setLeaving] = useState<Role>();
  return (
    <Card
      title="Roles"
      flush
      actions={
        <Button size="small" onClick={() => setEditing("new")}>
          New role
        </Button>
      }
    >
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={4} />}
      <ul aria-label="Roles" className="divide-y">
        {data?.items.map((role) => (
          <One
            key={role.name}
            role={role}
            onEdit={() => setEditing(role)}
            onWithdraw={role.built_in || role.withdrawn ? undefined : () => setLeaving(role)}
          />
        ))}
      </ul>
      <p className="border-t px-4 py-3 text-small text-muted">
        Roles come with Assent or from documents. Any other name is a role too: its holders decide the approvals that
        ask for it.
      </p>
      {leaving && <WithdrawRole role={leaving} onClose={() => setLeaving(undefined)} />}
      <Suspense>
        {editing && (
          <RoleDialog
            role={editing === "new" ? undefined : editing}
            current={data?.items.find((one) => editing !== "new" && one.name === editing.name)}
            taken={data?.items.map(({ name }) => name) ?? []}
            onClose={() => setEditing(undefined)}
          />
        )}
      </Suspense>
    </Card>
  );
}

function One({ role, onEdit, onWithdraw }: { role: Role; onEdit: () => void; onWithdraw?: () => void }) {
  return (
    <li className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <Visible text={format.title(role.name)} />
        {role.withdrawn ? (
          <Badge tone="warn">Withdrawn</Badge>
        ) : (
          <Badge tone={role.built_in ? "neutral" : "info"}>{role.built_in ? "Built in" : "From a document"}</Badge>
        )}
        <span className="flex-1" />
        {role.name !== "admin" && (
          <Button
            size="small"
            look="ghost"
            aria-label={`Edit the role ${format.title(role.name)}`}
            className="my-0.5 pointer-coarse:min-w-11"
            onClick={onEdit}
          >
            <Pencil aria-hidden /> <span className="max-sm:sr-only">Edit</span>
          </Button>
        )}
        {onWithdraw && (
          <Button
            size="small"
            look="ghost"
            aria-label={`Withdraw the role ${format.title(role.name)}`}
            className="my-0.5 pointer-coarse:min-w-11"
            onClick={onWithdraw}
          >
            <Undo2 aria-hidden /> <span className="max-sm:sr-only">Withdraw</span>
          </Button>
        )}
      </p>
      {role.withdrawn && <p className="text-small text-muted">It grants nothing to its holders.</p>}
      {role.description && (
        <p className="text-small break-words text-muted">
          <Visible text={role.description} />
        </p>
      )}
      {!role.withdrawn && <Grants role={role} />}
    </li>
  );
}

/** What a role permits, and where. */
function Grants({ role }: { role: Role }) {
  const where = role.every_workflow ? "every workflow" : role.workflows.join(", ") || "no workflow";
  const kinds = role.kinds.map((kind) => approvalKind[kind].label.toLowerCase()).join(", ");
  return (
    <>
      <p className="mt-1.5 flex flex-wrap gap-1.5">
        {role.permissions.length === 0 && <Badge>Nothing</Badge>}
        {role.permissions.map((permission) => (
          <Badge key={permission} tone={permission === "*" || permission === "admin" ? "warn" : "neutral"}>
            {rightText(permission)}
          </Badge>
        ))}
      </p>
      <p className="mt-1.5 text-small break-words text-muted">
        In <Visible text={where} />
        {kinds && ` · only these approvals: ${kinds}`}
        {role.can_act_as.length > 0 && ` · may act as ${role.can_act_as.map(format.title).join(", ")}`}
      </p>
    </>
  );
}
