import { api, data } from "../api/client";
import type { Approval, ApprovalFilter } from "../api/types";
import { groupedMax } from "./groups";

/** All approvals of a group row in their current state; of a plain row, itself. */
export async function membersOf(row: Approval, { sort }: ApprovalFilter): Promise<Approval[]> {
  if (!row.alike) return [row];
  const ids = new Set(row.alike.ids);
  const query: ApprovalFilter = { run: row.run, tool: row.action.tool || undefined, status: ["pending"], sort };
  const { items } = await data(api.GET("/api/v1/approvals", { params: { query: { ...query, limit: groupedMax } } }));
  return items.filter((a) => ids.has(a.id));
}
