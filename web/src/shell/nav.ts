import {
  Bot,
  ChartColumn,
  FileText,
  History,
  Inbox,
  type LucideIcon,
  Scale,
  ScrollText,
  Send,
  Settings,
  Users,
  Waypoints,
  Workflow,
  Zap,
} from "lucide-react";
import { type Permission, useMay } from "../api/documents";

export interface Place {
  to:
    | "/inbox"
    | "/runs"
    | "/workflows"
    | "/deliverables"
    | "/history"
    | "/insights"
    | "/automation"
    | "/agents"
    | "/policy"
    | "/audit"
    | "/people"
    | "/deliveries"
    | "/settings";
  /** Another page that belongs to it. */
  also?: "/channels" | "/suggest";
  label: string;
  icon: LucideIcon;
  /** Keys that go there. */
  keys: string;
  /** The heading it stands under; places of daily work have none. */
  group: "" | "Build" | "Govern";
  /** The permission needed to find anything there; lists are open to everyone. */
  needs?: Permission;
}

/** All places, those of a group together. A page that does not exist has no entry. */
const places: Place[] = [
  { to: "/inbox", label: "Inbox", icon: Inbox, keys: "g i", group: "" },
  { to: "/runs", label: "Runs", icon: Workflow, keys: "g r", group: "" },
  { to: "/deliverables", label: "Deliverables", icon: FileText, keys: "g d", group: "", needs: "view" },
  { to: "/history", label: "History", icon: History, keys: "g h", group: "" },
  { to: "/insights", label: "Insights", icon: ChartColumn, keys: "g s", group: "", needs: "view" },
  {
    to: "/workflows",
    also: "/suggest",
    label: "Workflows",
    icon: Waypoints,
    keys: "g w",
    group: "Build",
    needs: "view",
  },
  { to: "/automation", label: "Automation", icon: Zap, keys: "g a", group: "Build", needs: "view" },
  { to: "/agents", label: "Agents", icon: Bot, keys: "g t", group: "Build", needs: "view" },
  { to: "/policy", label: "Policy", icon: Scale, keys: "g p", group: "Govern", needs: "view" },
  { to: "/audit", label: "Audit", icon: ScrollText, keys: "g u", group: "Govern", needs: "audit" },
  { to: "/people", label: "People", icon: Users, keys: "g e", group: "Govern", needs: "admin" },
  {
    to: "/deliveries",
    also: "/channels",
    label: "Sent messages",
    icon: Send,
    keys: "g m",
    group: "Govern",
    needs: "admin",
  },
  { to: "/settings", label: "Settings", icon: Settings, keys: "g c", group: "Govern", needs: "admin" },
];

/** The places available to the user. */
export function usePlaces(): Place[] {
  const may = useMay();
  return places.filter(({ needs }) => !needs || may(needs));
}

/** Places by group, in order. */
export function grouped(list: Place[]): { group: Place["group"]; places: Place[] }[] {
  const groups = [...new Set(list.map((place) => place.group))];
  return groups.map((group) => ({ group, places: list.filter((place) => place.group === group) }));
}

/** The number of places with a tab at the bottom of phones; the rest are under More. */
export const tabs = 3;
