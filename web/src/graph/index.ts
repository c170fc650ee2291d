// The steps of a run as a graph and as a timeline, for the pages of a run and its replay.
//
//   <RunGraph
//     run={run}               a Run: live, or as of an event (useRunState)
//     gates={gates}           optional: useGates(run) loads them from the workflow version
//     approvals={approvals}   optional: approvals of this run, to show their approvers
//     selected={step}         id of the selected step
//     onSelect={(id) => …}    id, or undefined when the selection is cleared
//     marked={new Set(ids)}   optional: steps to highlight and follow, such as those changed by an event;
//                             by default the view follows waiting and running steps
//     bounded                 optional: on phones the list scrolls on its own, for pages with more below it
//     className="h-96"        it fills its parent; the parent needs a height
//   />                        xyflow and dagre are loaded only when it is shown; on phones it is a list
//
//   <Timeline
//     run={run} approvals={approvals} selected={step} onSelect={(id) => …}
//     events={events}         optional: the run's events; attempts become segments
//     now={ms}                optional: the current time, for a past state of a run; defaults to the clock
//   />
//
//   <StepList run={…} gates={…} approvals={…} selected={…} onSelect={…} marked={…} />   the same as plain text
export { askText, type Gate, gatesOf, waitedFor } from "./plan";
export type { RunGraphProps } from "./props";
export { RunGraph } from "./RunGraph";
export { StepList } from "./StepList";
export { Timeline, type TimelineProps } from "./Timeline";
export { useGates } from "./useGates";
