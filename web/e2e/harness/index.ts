export { type Json, Person, Refused, until } from "./person";
export { gone, leadsTo, says, see, shots, stage, story, type View, views } from "./stage";
