import { ChartColumn, FileText, History, Inbox, type LucideIcon, Workflow } from "lucide-react";

export interface Place {
  to: "/inbox" | "/runs" | "/deliverables" | "/history" | "/insights";
  label: string;
  icon: LucideIcon;
  /** Keys that go there. */
  keys: string;
}

/** The places of the sidebar. A page that is not there has no entry. */
export const places: Place[] = [
  { to: "/inbox", label: "Inbox", icon: Inbox, keys: "g i" },
  { to: "/runs", label: "Runs", icon: Workflow, keys: "g r" },
  { to: "/deliverables", label: "Deliverables", icon: FileText, keys: "g d" },
  { to: "/history", label: "History", icon: History, keys: "g h" },
  { to: "/insights", label: "Insights", icon: ChartColumn, keys: "g s" },
];

/** The tabs at the bottom of phones; the rest is under More. */
export const tabs = places.slice(0, 3);
export const more = places.slice(3);
