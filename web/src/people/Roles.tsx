import { Pencil } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { type Role, useRoles } from "../api/access";
import { Badge, Button, Card, ErrorNote, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { approvalKind, format } from "../words";
import { rightText } from "./rights";

const RoleDialog = lazy(async () => ({ default: (await import("./RoleDialog")).RoleDialog }));

/** What each role permits, and where. */
export function Roles() {
  const { data, error } = useRoles();
  const [editing, setEditing] = useState<Role | "new">();
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
          <One key={role.name} role={role} onEdit={() => setEditing(role)} />
        ))}
      </ul>
      <p className="border-t px-4 py-3 text-small text-muted">
        Roles come with Assent or from documents. Any other name is a role too: its holders decide the approvals that
        ask for it.
      </p>
      <Suspense>
        {editing && (
          <RoleDialog
            role={editing === "new" ? undefined : editing}
            taken={data?.items.map(({ name }) => name) ?? []}
            onClose={() => setEditing(undefined)}
          />
        )}
      </Suspense>
    </Card>
  );
}

function One({ role, onEdit }: { role: Role; onEdit: () => void }) {
  const where = role.every_workflow ? "every workflow" : role.workflows.join(", ") || "no workflow";
  const kinds = role.kinds.map((kind) => approvalKind[kind].label.toLowerCase()).join(", ");
  return (
    <li className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <Visible text={format.title(role.name)} />
        <Badge tone={role.built_in ? "neutral" : "info"}>{role.built_in ? "Built in" : "From a document"}</Badge>
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
      </p>
      {role.description && (
        <p className="text-small break-words text-muted">
          <Visible text={role.description} />
        </p>
      )}
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
        {kinds && ` · approvals of kind ${kinds}`}
        {role.can_act_as.length > 0 && ` · may act as ${role.can_act_as.map(format.title).join(", ")}`}
      </p>
    </li>
  );
}
