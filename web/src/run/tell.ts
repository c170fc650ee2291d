import type { Event, SkipReason } from "../api/types";
import { plain } from "../json";
import { act, eventWord, format, skipReason } from "../words";
import { limitName } from "./words";

interface Told {
  step?: string;
  index?: number;
  try?: number;
  layer?: number;
  steps?: unknown[];
  agent?: string;
  from?: string;
  to?: string;
  text?: string;
  reason?: string;
  why?: string;
  requirement?: string;
  guidance?: string;
  message?: string;
  limit?: string;
  name?: string;
  status?: string;
  id?: string;
  count?: number;
  found?: number;
  confidence?: number;
  error?: { message?: string };
  request?: { title?: string };
  decision?: { act?: string; by?: string; comment?: string };
  outcome?: { status?: string; act?: string; by?: string };
  deliverable?: { name?: string };
  call?: { tool?: string; spec?: { description?: string } };
  turn?: { text?: string } | number;
}

/** An event in words: what happened, to which step, and why. */
export function tell(event: Event): string {
  const data = read(event);
  if (event.type === "run.started") return event.actor.name ? `Run started by ${event.actor.name}` : "Run started";
  const where = data.step ? format.title(data.step) : "";
  const entry = data.index === undefined ? "" : `, entry ${data.index + 1}`;
  const label = eventWord(event.type).label;
  const more = detail(event, data);
  if (event.type === "note.added" && where) return `Note to ${where}${entry}: ${more}`;
  const text = where ? `${label}: ${where}${entry}` : label;
  return more ? `${text}${where ? ", " : ": "}${more}` : text;
}

function read(event: Event): Told {
  const data = plain<Told>(event.data);
  return typeof data === "object" && data !== null ? data : {};
}

function detail(event: Event, data: Told): string {
  switch (event.type) {
    case "step.started":
    case "call.started":
      return data.try && data.try > 1 ? `try ${data.try}` : "";
    case "step.skipped":
      return skipReason[data.why as SkipReason]?.sentence.replace(/\.$/, "").toLowerCase() ?? "";
    case "step.revised":
      return data.guidance ? `“${data.guidance}”` : "";
    case "step.expanded":
      return format.plural(data.count ?? 0, "entry", "entries");
    case "layer.started":
      return format.plural(data.steps?.length ?? 0, "step");
    case "review.suggested":
      return data.confidence === undefined ? "" : `confidence ${format.percent(data.confidence)}`;
    case "agent.handed_off":
      return `${format.title(data.from ?? "")} to ${format.title(data.to ?? "")}`;
    case "approval.needed":
    case "approval.auto_approved":
      return data.request?.title ?? "";
    case "approval.decided":
      return [data.decision?.by ?? event.actor.name, actDone(data.decision?.act)].filter(Boolean).join(" ");
    case "approval.resolved":
      return [actDone(data.outcome?.act), data.outcome?.by && `by ${data.outcome.by}`].filter(Boolean).join(" ");
    case "call.requested":
      return data.call?.spec?.description ?? format.title(data.call?.tool ?? "");
    case "deliverable.created":
      return data.deliverable?.name ?? "";
    case "deliverable.marked":
      return [data.name, data.status].filter(Boolean).join(" is now ");
    case "limit.warning":
    case "limit.granted":
    case "limit.raised":
    case "run.limit_reached":
      return limitName(data.limit ?? "").toLowerCase();
    case "replan.answered":
      return `${format.plural(data.found ?? 0, "new step")}`;
    default:
      return data.error?.message ?? data.text ?? data.message ?? data.requirement ?? data.reason ?? turnText(data);
  }
}

function turnText(data: Told): string {
  return typeof data.turn === "object" ? (data.turn.text ?? "") : "";
}

function actDone(name: string | undefined): string {
  return name && name in act ? act[name as keyof typeof act].done : "";
}
