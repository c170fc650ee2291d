import { CircleX, MessageSquare, Wrench } from "lucide-react";
import { memo, useMemo } from "react";
import { useRun } from "../api/runs";
import type { Approval, Step } from "../api/types";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
import { format, stepStatus } from "../words";
import { LongText } from "./LongText";
import { Opens } from "./Opens";
import { isPoint } from "./Point";
import { type Line, readSoFar, readTalk, result, type Said } from "./readSoFar";
import { Values } from "./Values";

/** What the run has done so far. */
export const SoFar = memo(function SoFar({ approval: a }: { approval: Approval }) {
  const read = useMemo(() => readSoFar(a.so_far), [a.so_far]);
  const talk = useMemo(() => (read ? undefined : readTalk(a.so_far)), [read, a.so_far]);
  const steps = useRun(a.run).data?.steps;
  if (!a.so_far || (a.action.type === "layer" && isPoint(a.show))) return null;
  return (
    <Card
      title="The run so far"
      actions={
        <Link
          to="/runs/$id"
          params={{ id: a.run }}
          className="flex items-center text-small text-accent-text underline-offset-2 hover:underline pointer-coarse:h-11"
        >
          Open the run
        </Link>
      }
    >
      {read ? (
        <ul className="space-y-1.5">
          {read.lines.map((line, i) => (
            <Done key={i} line={line} step={steps?.find(({ id }) => id === line.name)} />
          ))}
        </ul>
      ) : talk ? (
        <ul className="space-y-1.5">
          {talk.map((said, i) => (
            <Talk key={i} said={said} />
          ))}
        </ul>
      ) : (
        <LongText text={a.so_far} />
      )}
    </Card>
  );
});

function Talk({ said }: { said: Said }) {
  if (said.how === "said")
    return (
      <li className="flex gap-2">
        <MessageSquare aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        <div className="min-w-0">
          <span className="font-medium">
            <Visible text={format.title(said.name)} />
          </span>{" "}
          <LongText text={said.text} className="inline" />
        </div>
      </li>
    );
  const failed = said.how === "failed";
  const { tree, text } = failed ? { tree: undefined, text: said.text } : result(said.text);
  const Icon = failed ? CircleX : Wrench;
  return (
    <li>
      <Opens
        head={
          <>
            <Icon aria-hidden className={cn("size-4 shrink-0", failed ? "text-bad-text" : "text-muted")} />
            <span className="font-medium">
              <Visible text={format.title(said.name)} />
            </span>
            <span className="text-muted">{failed ? "failed" : "answered"}</span>
          </>
        }
      >
        {tree ? <Values tree={tree} /> : <LongText text={text ?? ""} />}
      </Opens>
    </li>
  );
}

/** How long a step worked, not counting time spent waiting for people. */
function worked(step: Step | undefined): string {
  return step?.ended_at && step.worked_ms !== null ? format.duration(step.worked_ms) : "";
}

function Done({ line, step }: { line: Line; step: Step | undefined }) {
  const word = stepStatus[line.status];
  const Icon = word.icon;
  const head = (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="font-medium">
        <Visible text={format.title(line.name)} />
      </span>
      <span className="text-muted">{word.label.toLowerCase()}</span>
      <span className="text-small text-muted tabular-nums">{worked(step)}</span>
    </>
  );
  if (!line.tree && !line.text) return <li className="flex items-center gap-2">{head}</li>;
  return (
    <li>
      <Opens head={head}>{line.tree ? <Values tree={line.tree} /> : <LongText text={line.text ?? ""} />}</Opens>
    </li>
  );
}
