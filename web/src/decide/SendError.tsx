import { ApiError } from "../api/error";
import { Button } from "../ui/Button";
import { useClock } from "../ui/clock";
import { ErrorNote } from "../ui/ErrorNote";
import { Visible } from "../ui/Visible";
import { act as acts, format } from "../words";
import type { Desk } from "./useDesk";

/** Why a decision did not go through, and what to do about it. */
export function SendError({ desk }: { desk: Desk }) {
  const { error, again } = desk;
  if (!error || desk.sending) return null;
  if (error instanceof ApiError && error.code === "already_decided" && error.decided) {
    return (
      <Faster
        by={error.decided.by}
        at={error.decided.at}
        act={error.decided.act}
        why={desk.approval.outcome?.comment}
      />
    );
  }
  if (error instanceof ApiError && error.code === "version_mismatch") {
    return (
      <ErrorNote
        error={
          new ApiError({
            code: "version_mismatch",
            title: "It changed while you decided",
            detail: "Nothing was sent. Your text is still here.",
            hint: "Review the current version, then send it again.",
          })
        }
      />
    );
  }
  return (
    <ErrorNote
      error={error}
      action={
        again && (
          <Button size="small" onClick={again}>
            Try again
          </Button>
        )
      }
    />
  );
}

/** "Maria rejected this 4 s ago: too high" */
function Faster({ by, at, act, why }: { by: string; at: string; act: string; why?: string }) {
  const when = useClock((now) => (at ? format.relative(Date.parse(at), now) : ""));
  const done = act in acts ? acts[act as keyof typeof acts].done : "decided";
  return (
    <div role="alert" className="rounded-md border bg-warn-bg p-3 text-warn-text">
      <p className="font-semibold">
        <Visible text={by} /> {done} this {when === "now" ? "just now" : when}
        {why ? ": " : "."}
        {why && <Visible text={why} />}
      </p>
      <p className="text-small">Your answer was no longer needed and was not sent.</p>
    </div>
  );
}
