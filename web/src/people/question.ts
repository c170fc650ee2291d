import type { AccessAction } from "../api/access";
import type { ApprovalKind, TokenKind } from "../api/types";
import type { Search } from "../router";
import { approvalKind, tokenKind } from "../words";
import { isAction, onOneApproval } from "../words/actions";

/** The question: may this person or program do that, there? Empty parts are left open. */
export interface Question {
  user: string;
  as: TokenKind;
  /** Instead of those of the account. */
  roles: string[];
  /** Empty: everything. */
  action: AccessAction | "";
  target: "" | "workflow" | "approval";
  workflow: string;
  approval: string;
  /** The kind of approval, and the role that it asks. */
  kind: ApprovalKind;
  asks: string;
}

const list = (text = "") =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** The question in a URL. Words that are not known are ignored. */
export function fromSearch(search: Search): Question {
  const as = search.as !== undefined && Object.hasOwn(tokenKind, search.as) ? (search.as as TokenKind) : "person";
  const approval = as === "person" ? (search.approval ?? "") : ""; // programs never decide
  const target = approval ? "approval" : search.workflow ? "workflow" : "";
  const action = isAction(search.do) && (!approval || onOneApproval(search.do)) ? search.do : "";
  return {
    user: search.user ?? "",
    as,
    roles: list(search.roles),
    action,
    target,
    workflow: approval ? "" : (search.workflow ?? ""),
    approval,
    kind:
      search.kind !== undefined && Object.hasOwn(approvalKind, search.kind)
        ? (search.kind as ApprovalKind)
        : "approval",
    asks: search.asks ?? "",
  };
}

/** The URL of a question, without what is left open. */
export function toSearch(q: Question): Search {
  const onApprovals = q.target !== "approval" && (q.action === "" || onOneApproval(q.action));
  return {
    tab: "why",
    user: q.user.trim(),
    as: q.as === "person" ? undefined : q.as,
    roles: q.roles.join(","),
    do: q.action,
    workflow: q.target === "workflow" ? q.workflow : undefined,
    approval: q.target === "approval" ? q.approval : undefined,
    kind: onApprovals && q.kind !== "approval" ? q.kind : undefined,
    asks: onApprovals ? q.asks : undefined,
  };
}

/** What is missing from a question, in words. */
export function missing(q: Question): string | undefined {
  if (q.user.trim() === "") return "Enter a name";
  if (q.as !== "person" && q.roles.length === 0) return "Enter the roles of the token";
  if (q.target === "workflow" && q.workflow === "") return "Choose a workflow";
  if (q.target === "approval" && q.approval === "") return "Choose an approval";
  return undefined;
}
