import { type Permission, useMay, useMe } from "./documents";
import type { Run } from "./types";

/** Commands on a run. */
export type CommandName =
  | "pause"
  | "resume"
  | "message"
  | "replan"
  | "inject_steps"
  | "modify_args"
  | "skip_step"
  | "snapshot"
  | "reopen"
  | "raise"
  | "retry"
  | "fork"
  | "cancel"
  | "abort";

/** Commands that the owner of a run may use without a role. */
const own: CommandName[] = ["pause", "resume", "reopen", "cancel", "abort"];
const startsAnother: CommandName[] = ["retry", "fork"];

/** The commands among these that the user may use; the server enforces it. */
export function permitted(names: CommandName[], may: (p: Permission) => boolean, owner: boolean): CommandName[] {
  return names.filter(
    (name) =>
      (owner && own.includes(name)) ||
      (may("command") && (!startsAnother.includes(name) || may("start")) && (name !== "raise" || may("approve"))),
  );
}

/** Filters commands to those that the user may use on this run: permitted(["fork"]). */
export function usePermitted(run: Pick<Run, "owner">): (names: CommandName[]) => CommandName[] {
  const may = useMay();
  const { data: me } = useMe();
  return (names) => permitted(names, may, me?.name === run.owner);
}
