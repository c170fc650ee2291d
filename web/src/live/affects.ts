import type { QueryKey } from "@tanstack/react-query";
import { keys } from "../api/queries";
import type { Event } from "../api/types";
import { plain } from "../json/raw";

/** Events that end a run, and with it everything it was waiting for. */
export const endings: ReadonlySet<string> = new Set([
  "run.cancelling",
  "run.cancelled",
  "run.completed",
  "run.failed",
  "run.limit_reached",
]);

/** The queries affected by news, by type: news belongs to no run and is in no log. */
const news: Record<string, QueryKey[]> = {
  "policy.changed": [keys.policy],
  "definition.changed": [keys.allDocuments, keys.automation, keys.channels],
  "trigger.delivered": [keys.automation],
};

/** Documents that people's preferences are chosen from. */
const chosenFrom: ReadonlySet<unknown> = new Set(["channel", "notifications"]);

/** Queries that may be out of date if news was missed. */
export const newsKeys: QueryKey[] = [...Object.values(news).flat(), keys.preferences];

/** The queries that an event makes out of date. */
export function affects(event: Event): QueryKey[] {
  if (event.run === "") {
    const known = news[event.type] ?? [];
    const of = event.type === "definition.changed" && plain<{ kind?: unknown }>(event.data)?.kind;
    return chosenFrom.has(of) ? [...known, keys.preferences] : known;
  }
  const out: QueryKey[] = [keys.run(event.run), keys.runEvents(event.run), keys.runSteps(event.run), keys.runLists];
  if (event.type === "run.started") out.push(keys.automation); // perhaps by a schedule or a trigger
  const [subject] = event.type.split(".");
  if (subject === "approval") {
    const id = approvalOf(event);
    out.push(keys.deliveries); // its messages follow
    out.push(keys.approvalLists, id ? keys.approval(id) : keys.approvalOnes);
  }
  if (endings.has(event.type)) out.push(keys.approvals, keys.experience);
  if (subject === "deliverable") out.push(keys.deliverables);
  return out;
}

/** The approval that an event concerns, if it names one. */
export function approvalOf(event: Event): string | undefined {
  const data = plain<{ id?: unknown; approval?: unknown; request?: { id?: unknown } }>(event.data);
  const id = data?.id ?? data?.approval ?? data?.request?.id;
  return typeof id === "string" ? id : undefined;
}
