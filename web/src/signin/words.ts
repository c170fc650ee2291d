import { ApiError } from "../api/error";
import { problem } from "../words";

const arrivals: Record<string, string> = {
  unauthenticated: "The identity provider did not let you in, or it took too long. Try again.",
  forbidden: "You are signed in at the identity provider but don't have access to this server. Ask its administrator.",
  unavailable: "The identity provider could not be reached. Try again in a moment.",
  unsupported: "This server has no identity provider.",
  invalid: "The identity provider's response could not be used. Start again here.",
};

/** Why the identity provider sent the user back without signing in. */
export function arrivalProblem(code: string): string {
  return arrivals[code] ?? "Sign-in failed. Try again; if it keeps failing, ask the server's administrator.";
}

/** Why a name and password failed. It never reveals which of the two is wrong. */
export function signInProblem(error: unknown): string {
  if (!(error instanceof ApiError)) return "Something went wrong in this page. Reload it and try again.";
  if (error.code === "unauthenticated") return "The name or the password is wrong.";
  if (error.status === 429) return "There were too many attempts.";
  if (error.code === "forbidden") return error.detail || "You can't sign in here. Ask the server's administrator.";
  if (error.code === "unreachable") return "The server did not answer. Check that you are online and try again.";
  const said = [error.detail || problem[error.code]?.label, error.hint || problem[error.code]?.sentence];
  return said.filter(Boolean).join(". ").replaceAll("..", ".");
}
