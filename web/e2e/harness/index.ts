export { largeWorkflow, measured, workerAgent } from "./frames";
export { atRest } from "./guard";
export { type Json, Person, Refused, until } from "./person";
export { decideByKey, gone, leadsTo, says, see, settled, shots, stage, story, type View, views } from "./stage";
export { Work } from "./work";
