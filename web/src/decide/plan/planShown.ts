import type { Approval } from "../../api/types";
import { type Tree, treeOf } from "../../json";
import { format } from "../../words";
import type { Schema } from "../schema";

/** Labels for the members of a change of a plan. */
export const planSchema: Schema = {
  type: "object",
  properties: {
    inject_steps: {
      title: "Steps to add",
      items: {
        properties: {
          id: { title: "Step" },
          needs: { title: "Waits for" },
          needed_by: { title: "Needed by" },
          with: { title: "Input" },
          each: { title: "Once for each item of" },
        },
      },
    },
    skip_steps: { title: "Steps to leave out" },
    edit_steps: { title: "Inputs to change", items: { properties: { id: { title: "Step" } } } },
  },
};

export const planUnchanged = "The plan does not change: no steps are added or removed.";

/**
 * The changes to the plan that are proposed, with steps by name; undefined if there are none. For other approvals, their
 * proposal.
 */
export function proposedOf(approval: Pick<Approval, "reason" | "proposed">): Tree | undefined {
  if (!approval.proposed) return undefined;
  const tree = treeOf(approval.proposed);
  if (approval.reason !== "loop" || tree.kind !== "object") return tree;
  const members = tree.members
    .filter(({ value }) => !(value.kind === "array" && value.items.length === 0))
    .map((member) => ({ ...member, value: member.key === "skip_steps" ? named(member.value) : steps(member.value) }));
  return members.length > 0 ? { ...tree, members } : undefined;
}

const names = ["id", "needs", "needed_by", "replaces"];

function steps(list: Tree): Tree {
  if (list.kind !== "array") return list;
  return { ...list, items: list.items.map(step) };
}

function step(tree: Tree): Tree {
  if (tree.kind !== "object") return tree;
  const members = tree.members.map((m) => (names.includes(m.key) ? { ...m, value: named(m.value) } : m));
  return { ...tree, members };
}

/** Ids in words; no ids: nothing. */
function named(value: Tree): Tree {
  if (value.kind === "string") return { ...value, value: format.title(value.value) };
  if (value.kind !== "array") return value;
  return value.items.length > 0 ? { ...value, items: value.items.map(named) } : { kind: "literal", text: "null" };
}
