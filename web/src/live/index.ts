export type { Connection } from "./feed";
export { LiveProvider, useConnection, useLiveEvents } from "./LiveProvider";
