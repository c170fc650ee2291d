export { deliverableStatus, deliverableType } from "./deliverables";
export * from "./enums";
export * from "./enumsLater";
export { type EventWord, eventType, eventWord } from "./events";
export * as format from "./format";
export type { Tone, Word } from "./tone";
