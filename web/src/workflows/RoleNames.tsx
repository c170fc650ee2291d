import { useMemo } from "react";
import { useMay } from "../api";
import { useAccounts, useRoles } from "../api/access";
import { format } from "../words";
import type { Flow } from "./model/flow";

const common = ["approver", "manager", "reviewer", "finance", "legal", "security"];

/** Role names to choose from: those that the workflow uses, those of the server, and those that accounts have. */
export function useRoleNames(flow: Flow): readonly string[] {
  const may = useMay();
  const { data: roles } = useRoles(may("admin"));
  const { data: accounts } = useAccounts(may("admin"));
  return useMemo(() => {
    const all = roles?.items ?? [];
    const withdrawn = new Set(all.flatMap((role) => (role.withdrawn ? role.name : [])));
    const known = roles ? all.map((role) => role.name) : common; // who may not list them gets common ones
    const held = accounts?.items.flatMap((account) => account.roles) ?? [];
    const used = flow.gates.flatMap((gate) => [...(gate.role ? [gate.role] : []), ...Object.keys(gate.roles ?? {})]);
    return [...new Set([...used, ...[...known, ...held].filter((name) => !withdrawn.has(name))])];
  }, [roles, accounts, flow]);
}

/** The names as suggestions of a text field. */
export function RoleNames({ id, roles, prefix = "" }: { id: string; roles: readonly string[]; prefix?: string }) {
  return (
    <datalist id={id}>
      {roles.map((role) => (
        <option key={role} value={prefix + role}>
          {format.title(role)}
        </option>
      ))}
    </datalist>
  );
}
