import { type Permission, useMay, useMe } from "./documents";
import type { Run } from "./types";

/** What can be done with a run. */
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

/** What an owner may do with a run without any role. */
const own: CommandName[] = ["pause", "resume", "reopen", "cancel", "abort"];
const startsAnother: CommandName[] = ["retry", "fork"];

/** Of these, what whoever looks may do; the server decides anyway. */
export function permitted(names: CommandName[], may: (p: Permission) => boolean, owner: boolean): CommandName[] {
  return names.filter(
    (name) =>
      (owner && own.includes(name)) ||
      (may("command") && (!startsAnother.includes(name) || may("start")) && (name !== "raise" || may("approve"))),
  );
}

/** Of some commands, those that whoever looks may give this run: permitted(["fork"]). */
export function usePermitted(run: Pick<Run, "owner">): (names: CommandName[]) => CommandName[] {
  const may = useMay();
  const { data: me } = useMe();
  return (names) => permitted(names, may, me?.name === run.owner);
}
