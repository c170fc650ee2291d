import { format } from "../words";
import type { Desk } from "./useDesk";

/** The label of the main button; it follows the edit. */
export function buttonText(desk: Desk): string {
  const { main, changes, approval, option, role } = desk;
  switch (main) {
    case "modify":
      return changes.length > 0 ? `Approve with ${format.plural(changes.length, "change")}` : "Approve with changes";
    case "choose": {
      const one = approval.options.find((o) => o.value === option);
      return one ? `Choose “${one.label || format.title(one.value)}”` : "Choose an option";
    }
    case "submit":
      return "Submit";
    default:
      return role ? `Approve as ${format.title(role)}` : "Approve";
  }
}
