import { ApiError } from "./error";

const listeners = new Set<() => void>();

/** Calls listener whenever the server reports that the request was not signed in. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Notifies the listeners if error means that the session has ended. */
export function noticeSignedOut(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== "unauthenticated") return;
  for (const listener of listeners) listener();
}
