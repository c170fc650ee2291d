import { type Role, useRoles } from "../api/access";
import type { Act } from "../api/types";
import { Badge, Card, ErrorNote, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { act, approvalKind, format } from "../words";

const rights: Record<string, string> = {
  "*": "Everything",
  admin: "Everything",
  view: "View",
  comment: "Comment",
  start: "Start runs",
  command: "Control runs",
  audit: "Read the audit log",
  sensitive: "See masked values",
  decide: "Decide in every way",
};

/** A permission in words. */
export function rightText(permission: string): string {
  if (Object.hasOwn(rights, permission)) return rights[permission] ?? permission;
  return Object.hasOwn(act, permission) ? act[permission as Act].label : format.title(permission);
}

/** What each role permits, and where. */
export function Roles() {
  const { data, error } = useRoles();
  return (
    <Card title="Roles" flush>
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={4} />}
      <ul aria-label="Roles" className="divide-y">
        {data?.items.map((role) => (
          <One key={role.name} role={role} />
        ))}
      </ul>
      <p className="border-t px-4 py-3 text-small text-muted">
        Roles come with Assent or from documents. Any other name is a role too: its holders decide the approvals that
        ask for it.
      </p>
    </Card>
  );
}

function One({ role }: { role: Role }) {
  const where = role.every_workflow ? "every workflow" : role.workflows.join(", ") || "no workflow";
  const kinds = role.kinds.map((kind) => approvalKind[kind].label.toLowerCase()).join(", ");
  return (
    <li className="px-4 py-3">
      <p className="flex flex-wrap items-center gap-2 font-medium">
        <Visible text={format.title(role.name)} />
        <Badge tone={role.built_in ? "neutral" : "info"}>{role.built_in ? "Built in" : "From a document"}</Badge>
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
