import type { Approval } from "../api/types";
import type { Raw } from "../json";
import { hasUnseen, hasUnseenInside } from "../words/unseen";

/** Whether anything written by agents or workflows for this decision contains invisible characters. */
export function unseenIn(a: Approval, payloads: (Raw | null | undefined)[]): boolean {
  const words = [
    a.title,
    a.subject,
    a.confidence_source?.step,
    a.confidence_source?.agent,
    ...(a.changed ?? []).map((c) => c.name),
    a.description,
    a.reasoning,
    a.if_denied,
    a.rule?.name,
    a.rule?.reason,
    ...(a.risk.reasons ?? []),
    ...a.options.flatMap((o) => [o.label, o.description, o.value]),
  ];
  const values = [a.so_far, a.action.args_schema?.$json, a.input_schema?.$json, ...payloads.map((p) => p?.$json)];
  return words.some((text) => text && hasUnseen(text)) || values.some((text) => text && hasUnseenInside(text));
}
