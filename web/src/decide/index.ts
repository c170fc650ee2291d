// Deciding, for the approval page and for the pane beside the inbox.
//
//   <ApprovalDetail approval compact? onDecided?(after, act) shortcuts? back? after? />
//     Everything: head, facts, proposal, why, thread, forms and the bar with the answers. Give it a box with a height
//     (it is `flex h-full flex-col`, scrolls inside, the bar stays at the foot). `approval` comes from useApproval(id)
//     or from a list; new data of the same id is taken over without losing a draft, another id begins anew.
//     compact: one column, h2 instead of h1. onDecided: after the answer went through (a toast is shown by then).
//     edit: the form is open from the beginning, or when it turns true.
//     shortcuts={false}: A, E, R, C, 1–9 are left to the page. after: stands in the bar once nothing is to be decided.
//
//   <DecisionBar desk shortcuts? onComment? after? className? />   with   const desk = useDesk(approval, { onDecided })
//     Only the answers (with their dialogs), for a page that draws the rest itself. desk.ask("reject"),
//     desk.startEditing(), desk.decideMain() do what the buttons do.
//
// The editor for JSON is loaded when it is opened. Where the first paint counts, load this folder with
// lazy(() => import("../decide").then((m) => ({ default: m.ApprovalDetail }))).
export { ApprovalDetail, type ApprovalDetailProps } from "./ApprovalDetail";
export { DecisionBar, type DecisionBarProps } from "./DecisionBar";
export { Outcome, useNext, WaysOn } from "./Outcome";
export { type Asking, type Desk, useDesk } from "./useDesk";
export { headline, quorumText } from "./words";
