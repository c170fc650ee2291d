import { GitFork } from "lucide-react";
import { ApiError } from "../api/error";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { format } from "../words";

/** Why a fork was refused, and the event from which it is possible, if there is one. */
export function ForkRefused({ error, onFork }: { error: unknown; onFork: (at: number) => void }) {
  const at = error instanceof ApiError ? error.forkAt : undefined;
  return (
    <ErrorNote
      error={error}
      action={
        at !== undefined && (
          <Button size="small" onClick={() => onFork(at)}>
            <GitFork aria-hidden />
            Fork from event {format.count(at)} instead
          </Button>
        )
      }
    />
  );
}
