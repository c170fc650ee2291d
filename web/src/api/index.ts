export * from "./approvals";
export { api, attempt, data, newKey } from "./client";
export * from "./deliverables";
export * from "./documents";
export { ApiError } from "./error";
export * from "./policy";
export { keys } from "./queries";
export * from "./runs";
export type * from "./types";
