import type { Approval } from "../api/types";
import type { Schema } from "../decide/schema";
import { type Tree, treeOf } from "../json";
import { format } from "../words";

/** Labels for the members of a decision between two layers. */
export const planSchema: Schema = {
  type: "object",
  properties: {
    inject_steps: { title: "Steps to add" },
    skip_steps: { title: "Steps to leave out" },
    edit_steps: { title: "Inputs to change" },
  },
};

/**
 * The subject of a decision between two layers: the changes to the plan, with steps by name; undefined if there are
 * none. For other approvals, their proposal.
 */
export function proposedOf(approval: Pick<Approval, "reason" | "proposed">): Tree | undefined {
  if (!approval.proposed) return undefined;
  const tree = treeOf(approval.proposed);
  if (approval.reason !== "loop" || tree.kind !== "object") return tree;
  const members = tree.members
    .filter(({ value }) => !(value.kind === "array" && value.items.length === 0))
    .map((member) => (member.key === "skip_steps" ? { ...member, value: named(member.value) } : member));
  return members.length > 0 ? { ...tree, members } : undefined;
}

function named(value: Tree): Tree {
  if (value.kind !== "array") return value;
  return {
    ...value,
    items: value.items.map((item) => (item.kind === "string" ? { ...item, value: format.title(item.value) } : item)),
  };
}
