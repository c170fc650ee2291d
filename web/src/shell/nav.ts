import { ChartColumn, FileText, History, Inbox, type LucideIcon, Send, Workflow, Zap } from "lucide-react";
import { type Permission, useMay } from "../api/documents";

export interface Place {
  to: "/inbox" | "/runs" | "/deliverables" | "/history" | "/insights" | "/automation" | "/deliveries";
  label: string;
  icon: LucideIcon;
  /** Keys that go there. */
  keys: string;
  /** The permission needed to find anything there; lists are open to everyone. */
  needs?: Permission;
}

/** All places. A page that does not exist has no entry. */
const places: Place[] = [
  { to: "/inbox", label: "Inbox", icon: Inbox, keys: "g i" },
  { to: "/runs", label: "Runs", icon: Workflow, keys: "g r" },
  { to: "/deliverables", label: "Deliverables", icon: FileText, keys: "g d", needs: "view" },
  { to: "/history", label: "History", icon: History, keys: "g h" },
  { to: "/insights", label: "Insights", icon: ChartColumn, keys: "g s", needs: "view" },
  { to: "/automation", label: "Automation", icon: Zap, keys: "g a", needs: "view" },
  { to: "/deliveries", label: "Deliveries", icon: Send, keys: "g m", needs: "admin" },
];

/** The places available to the user. */
export function usePlaces(): Place[] {
  const may = useMay();
  return places.filter(({ needs }) => !needs || may(needs));
}

/** The number of places with a tab at the bottom of phones; the rest are under More. */
export const tabs = 3;
