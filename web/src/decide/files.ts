import type { Approval } from "../api/types";

/** Whether the run's files are decided together with the proposal. */
export const decidesFiles = ({ kind, action: { type } }: Pick<Approval, "kind" | "action">) =>
  kind === "approval" && type !== "run" && type !== "limit";

/** The files of a run that have not been accepted yet. */
export const filesFilter = (run: string) => ({ run, status: "draft", limit: 100 }) as const;
