export { largeWorkflow, type Measured, measured, pageFinder, workerAgent } from "./frames";
export { atRest } from "./guard";
export { Keyboard } from "./keyboard";
export { type Json, Person, Refused, until } from "./person";
export { refusing } from "./refusing";
export {
  becomes,
  decideByKey,
  focused,
  gone,
  leadsTo,
  patiently,
  pressAlone,
  says,
  see,
  settled,
  shots,
  stage,
  still,
  story,
} from "./stage";
export { type View, views } from "./views";
export { Work } from "./work";
