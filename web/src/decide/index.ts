// The decision UI, for the approval page and for the pane beside the inbox.
//
//   <ApprovalDetail approval compact? onDecided?(after, act) shortcuts? back? after? />
//     Everything: header, facts, proposal, reasons, thread, forms and the bar with the answers. Needs a box with a
//     height (it is `flex h-full flex-col` and scrolls inside; the bar stays at the bottom). `approval` comes from
//     useApproval(id) or from a list; new data of the same id keeps the draft, another id starts over.
//     compact: one column, h2 instead of h1. onDecided: called after the answer went through and its toast is shown.
//     edit: the form is open from the start, or opens when it turns true.
//     shortcuts={false}: A, E, R, C, 1–9 are left to the page. after: shown in the bar when nothing is left to decide.
//
//   <DecisionBar desk shortcuts? onComment? after? className? />   with   const desk = useDesk(approval, { onDecided })
//     Only the answers (with their dialogs), for a page that draws the rest itself. desk.ask("reject"),
//     desk.startEditing() and desk.decideMain() do the same as the buttons.
//
// The JSON editor is loaded when it is opened. Where the first paint matters, load this folder with
// lazy(() => import("../decide").then((m) => ({ default: m.ApprovalDetail }))).
export { ApprovalDetail, type ApprovalDetailProps } from "./ApprovalDetail";
export { DecisionBar, type DecisionBarProps } from "./DecisionBar";
export { Outcome, useNext, WaysOn } from "./Outcome";
export { type Asking, type Desk, useDesk } from "./useDesk";
export { headline, quorumText } from "./words";
