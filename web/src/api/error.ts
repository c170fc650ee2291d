import type { Fault, Problem, ProblemCode } from "./types";

/** The members we use. */
type Told = Pick<
  Problem,
  | "code"
  | "status"
  | "title"
  | "detail"
  | "hint"
  | "errors"
  | "decided_by"
  | "decided_at"
  | "act"
  | "needed_by"
  | "fork_at"
>;

/** A problem reported by the server, or code "unreachable" if it could not be reached. */
export class ApiError extends Error {
  readonly code: ProblemCode | "unreachable";
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  readonly errors: Fault[];
  /** Who decided first, if code is already_decided. */
  readonly decided?: { by: string; at: string; act: string };
  /** What needs a role, or who has it, if the conflict is about that. */
  readonly neededBy?: string[];
  /** The last event from which the fork that was refused is possible. */
  readonly forkAt?: number;
  /** Seconds until a retry is worthwhile, if the server sent them. */
  readonly retryAfterS?: number;

  constructor(problem: Partial<Omit<Told, "code">> & { code: ProblemCode | "unreachable"; retryAfterS?: number }) {
    super(problem.detail || problem.title || problem.code);
    this.name = "ApiError";
    this.code = problem.code;
    this.status = problem.status ?? 0;
    this.title = problem.title ?? "";
    this.detail = problem.detail ?? "";
    this.hint = problem.hint ?? "";
    this.errors = problem.errors ?? [];
    this.retryAfterS = problem.retryAfterS;
    this.neededBy = problem.needed_by;
    this.forkAt = problem.fork_at;
    if (problem.decided_by !== undefined) {
      this.decided = { by: problem.decided_by, at: problem.decided_at ?? "", act: problem.act ?? "" };
    }
  }

  /** Whether the same request may succeed later, unchanged. */
  get passing(): boolean {
    return this.code === "unreachable" || this.code === "unavailable" || this.status === 429 || this.status >= 502;
  }
}

export function unreachable(): ApiError {
  return new ApiError({
    code: "unreachable",
    title: "No connection",
    detail: "The server did not answer.",
    hint: "Check that it runs and that you are online. What you typed is still here.",
  });
}

/** The problem in an unsuccessful response. */
export async function problemOf(response: Response): Promise<ApiError> {
  const wait = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const retryAfterS = wait > 0 ? wait : undefined;
  try {
    const body = (await response.clone().json()) as Problem;
    if (typeof body.code === "string") return new ApiError({ ...body, status: response.status, retryAfterS });
  } catch {
    // Not JSON: a proxy answered.
  }
  return new ApiError({
    code: response.status >= 500 ? "unavailable" : "internal",
    status: response.status,
    retryAfterS,
    title: `Status ${response.status}`,
    detail: "The answer did not come from Assent, or could not be read.",
    hint: "Try again. If it keeps happening, check the server log.",
  });
}
