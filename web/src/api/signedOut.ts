import { ApiError } from "./error";

const listeners = new Set<() => void>();

/** Calls listener whenever the server says that it does not know who asks. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Tells those who listen, if that is what went wrong. */
export function noticeSignedOut(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== "unauthenticated") return;
  for (const listener of listeners) listener();
}
