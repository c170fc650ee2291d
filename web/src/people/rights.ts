import type { Act } from "../api/types";
import { act, format } from "../words";

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
