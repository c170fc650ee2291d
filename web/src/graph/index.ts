// The steps of a run, drawn. Two views, for the page of a run and for its replay.
//
//   <RunGraph
//     run={run}               a Run: live, or as it was (useRunState)
//     gates={gates}           optional: useGates(run) reads them from the workflow's version
//     approvals={approvals}   optional: approvals of this run; shows who is waited for
//     selected={step}         id of the selected step
//     onSelect={(id) => …}    id, or undefined when nothing is selected any more
//     marked={new Set(ids)}   optional: steps to stand out and to be followed, such as those that an event changed;
//                             else the view follows what waits or works
//     bounded                 optional: on phones a list that scrolls by itself, for pages with more below it
//     className="h-96"        it fills its parent; the parent needs a height
//   />                        xyflow and dagre are loaded only when it is shown; on phones it is a list
//
//   <Timeline
//     run={run} approvals={approvals} selected={step} onSelect={(id) => …}
//     events={events}         optional: the run's events; tries become segments
//     now={ms}                optional: where "now" is, for a run as it was; left out, the clock
//   />
//
//   <StepList run={…} gates={…} approvals={…} selected={…} onSelect={…} marked={…} />   the same as plain text
export { askText, type Gate, gatesOf, waitedFor } from "./plan";
export { RunGraph, type RunGraphProps } from "./RunGraph";
export { StepList } from "./StepList";
export { Timeline, type TimelineProps } from "./Timeline";
export { useGates } from "./useGates";
