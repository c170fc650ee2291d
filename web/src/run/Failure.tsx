import { CircleX, Gauge, GitFork, Play, RotateCcw } from "lucide-react";
import { useResumeRun, useRetryRun } from "../api";
import { usePermitted } from "../api/permitted";
import type { Run } from "../api/types";
import { Link, useNavigate } from "../router";
import { Button } from "../ui/Button";
import { CodeBlock } from "../ui/CodeBlock";
import { ErrorNote } from "../ui/ErrorNote";
import { FoldedText } from "../ui/FoldedText";
import { JsonView } from "../ui/JsonView";
import { Time } from "../ui/Time";
import { toast } from "../ui/Toasts";
import { format } from "../words";
import { commandsFor } from "./commands";
import { Fold } from "./Fold";
import { failureWord } from "./words";

type RunError = NonNullable<Run["error"]>;

/** Why a run failed, and what to do about it. */
export function Failure({
  run,
  onFork,
  onRaise,
  onSelect,
}: {
  run: Run;
  onFork: () => void;
  onRaise: () => void;
  onSelect: (step: string) => void;
}) {
  const navigate = useNavigate();
  const resume = useResumeRun(run.id);
  const retry = useRetryRun(run.id);
  const may = usePermitted(run)(commandsFor(run));
  const { error } = run;
  if (!error && run.status !== "limit_reached") return null;
  const again = async () => {
    const made = await retry.mutateAsync({});
    toast({ title: "A new run has begun", tone: "ok" });
    void navigate({ to: "/runs/$id", params: { id: made.id } });
  };
  return (
    <section aria-label="Failure" className="rounded-md border-2 border-bad-fill bg-surface">
      <div className="flex gap-3 p-4">
        <CircleX aria-hidden className="mt-0.5 size-5 shrink-0 text-bad-text" />
        <div className="min-w-0 flex-1 space-y-3">
          <div>
            <FoldedText
              text={error?.message ?? "A limit on time, cost or turns ended this run."}
              className="text-lead font-semibold text-bad-text"
            />
            {error && <Where error={error} onSelect={onSelect} />}
          </div>
          {error?.child && <Child child={error.child} />}
          <div className="flex flex-wrap gap-2 empty:hidden">
            {may.includes("reopen") && (
              <Button
                look="filled"
                loading={resume.isPending}
                onClick={() =>
                  resume.mutate({}, { onSuccess: () => toast({ title: "The run continues", tone: "ok" }) })
                }
                title="Continues this run; completed steps are kept."
              >
                <Play /> Resume from here
              </Button>
            )}
            {may.includes("raise") && (
              <Button look="filled" onClick={onRaise} title="Continues this run; completed steps are kept.">
                <Gauge /> Raise the limit
              </Button>
            )}
            {may.includes("retry") && (
              <Button
                loading={retry.isPending}
                onClick={() => void again().catch(() => undefined)}
                title="A new run with the same input."
              >
                <RotateCcw /> Run again
              </Button>
            )}
            {may.includes("fork") && (
              <Button onClick={onFork} title="A new run with this history; you can change the input or outputs first.">
                <GitFork /> Fork with edits
              </Button>
            )}
          </div>
          {(resume.error ?? retry.error) && <ErrorNote error={resume.error ?? retry.error} />}
          {error?.body && (
            <Fold title="What the other side answered">
              <CodeBlock text={error.body} />
            </Fold>
          )}
          {error?.stack && (
            <Fold title="Where in the agent's code">
              <CodeBlock text={error.stack} wrap={false} />
            </Fold>
          )}
          {error?.input && (
            <Fold title="What the step worked on">
              <JsonView value={error.input} />
            </Fold>
          )}
        </div>
      </div>
    </section>
  );
}

function Where({ error, onSelect }: { error: RunError; onSelect: (step: string) => void }) {
  return (
    <p className="mt-1 text-muted">
      {failureWord(error.code)}{" "}
      {error.step && (
        <>
          In{" "}
          <button
            type="button"
            className="font-medium text-accent-text hover:underline"
            onClick={() => onSelect(error.step ?? "")}
          >
            {format.title(error.step)}
          </button>
          {error.step_index ? ` (step ${error.step_index} of ${error.step_count ?? "?"})` : ""}
          {error.index !== undefined ? `, entry ${error.index + 1} of its list` : ""}
          {error.agent ? `, by ${format.title(error.agent)}` : ""}
          {error.try && error.try > 1 ? `, try ${error.try}` : ""}
          {error.at && (
            <>
              , <Time at={error.at} />
            </>
          )}
        </>
      )}
    </p>
  );
}

function Child({ child }: { child: NonNullable<RunError["child"]> }) {
  return (
    <p>
      It happened in{" "}
      <Link to="/runs/$id" params={{ id: child.run }} className="font-medium text-accent-text hover:underline">
        the sub-run
      </Link>
      {child.error?.step && `, step ${format.title(child.error.step)}`}. Mend it there first.
    </p>
  );
}
