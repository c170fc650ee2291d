export type { Connection } from "./feed";
export { LiveProvider, useConnection, useLiveEvents, useLostSince } from "./LiveProvider";
