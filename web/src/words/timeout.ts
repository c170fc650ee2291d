import type { Approval } from "../api/types";
import { plain, textOf } from "../json";
import { onTimeout } from "./enums";

const longest = 80;

/** The default answer on timeout, if the workflow names one: "“By post” is chosen". */
export function defaultAnswer({ kind, options, default: answer }: Approval): string {
  if (!answer) return onTimeout.default.sentence;
  if (kind === "choice") {
    const picked = options.find(({ value }) => value === plain(answer));
    if (picked) return `“${picked.label || picked.value}” is chosen`;
  }
  const text = textOf(answer);
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return kind === "input" ? `this is answered: ${short}` : `it is approved with ${short}`;
}

/** The effect of the deadline, as the end of "Without a decision, …". */
export function atDeadline(approval: Approval): string {
  const { on_timeout: then } = approval;
  if (!then) return "";
  return then === "default" ? defaultAnswer(approval) : onTimeout[then].sentence;
}
