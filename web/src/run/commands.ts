import type { CommandName } from "../api/permitted";
import type { Run, Step } from "../api/types";

/** A command that needs input or confirmation first. */
export type Asked =
  | { type: "cancel" | "abort" | "inject_steps" | "replan" | "fork" | "raise" }
  | { type: "skip_step" | "modify_args"; step?: string };

const going: CommandName[] = [
  "message",
  "replan",
  "inject_steps",
  "modify_args",
  "skip_step",
  "snapshot",
  "fork",
  "cancel",
  "abort",
];

/** The commands that make sense in a run's current status. */
export function commandsFor(run: Pick<Run, "status" | "steps" | "cancelling">): CommandName[] {
  if (run.cancelling) return ["fork", "abort"]; // it ends by itself, or at once
  switch (run.status) {
    case "running":
    case "waiting":
      return without(["pause", ...going], run.steps);
    case "paused":
      return without(["resume", ...going], run.steps);
    case "failed":
      return ["reopen", "retry", "fork"];
    case "limit_reached":
      return ["raise", "retry", "fork"];
    case "completed":
    case "cancelled":
      return ["retry", "fork"];
  }
}

/** Steps can be changed or skipped only before they start. */
export function ahead(steps: Step[]): Step[] {
  return steps.filter((s) => s.status === "pending" || (s.status === "waiting" && s.started_at === null));
}

function without(names: CommandName[], steps: Step[]): CommandName[] {
  const some = ahead(steps).length > 0;
  return names.filter((name) => some || (name !== "skip_step" && name !== "modify_args"));
}
