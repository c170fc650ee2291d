import type { AccessAction } from "../api/access";
import type { Act } from "../api/types";
import { act } from "./enums";

/** What an action is about: a run of a workflow, an approval in it, or the whole server. */
type About = "runs" | "approvals" | "server";

interface ActionWord {
  label: string;
  about: About;
}

const acts = Object.fromEntries(
  Object.entries(act).map(([name, { label }]) => [name, { label, about: "approvals" }]),
) as Record<Act, ActionWord>;

/** Everything that a person or program may want to do, in words. */
export const actions: Record<AccessAction, ActionWord> = {
  see: { label: "View runs and approvals", about: "runs" },
  start: { label: "Start runs", about: "runs" },
  pause: { label: "Pause runs", about: "runs" },
  resume: { label: "Resume runs", about: "runs" },
  cancel: { label: "Cancel runs", about: "runs" },
  raise: { label: "Raise the limits of a run", about: "runs" },
  steer: { label: "Steer runs: retry, skip, edit, send messages", about: "runs" },
  fork: { label: "Fork runs", about: "runs" },
  see_plain: { label: "See masked values", about: "runs" },
  comment: { label: "Comment on approvals", about: "approvals" },
  ...acts,
  review: { label: "Review automatic approvals", about: "runs" },
  look: { label: "View workflows, agents and the policy", about: "server" },
  write: { label: "Change workflows, agents and the policy", about: "server" },
  stop: { label: "Stop or allow automatic approvals", about: "server" },
  expire: { label: "Expire unanswered approvals", about: "server" },
  access: { label: "Manage accounts, roles and tokens", about: "server" },
  stand_in: { label: "Set a stand-in for someone else", about: "server" },
  explain: { label: "See what another person may do", about: "server" },
  audit: { label: "Read the audit log", about: "server" },
  forget: { label: "Delete the payloads of a run", about: "server" },
  learned: { label: "Manage what was learned from runs", about: "server" },
};

export const groups: { about: About; title: string }[] = [
  { about: "runs", title: "Runs" },
  { about: "approvals", title: "Approvals" },
  { about: "server", title: "The whole server" },
];

export const isAction = (name: string | undefined): name is AccessAction =>
  name !== undefined && Object.hasOwn(actions, name);

/** The actions that are explained for a single approval. */
export const onOneApproval = (name: AccessAction): boolean => name === "see" || actions[name].about === "approvals";
