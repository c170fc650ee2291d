import type { Call } from "../api/types";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { CodeBlock } from "../ui/CodeBlock";
import { JsonView } from "../ui/JsonView";
import { Elapsed, Time } from "../ui/Time";
import { format } from "../words";
import { callWord } from "../words/calls";
import { Fold } from "./Fold";

/** The tool calls of an agent, in order. */
export function Calls({ calls }: { calls: Call[] }) {
  if (calls.length === 0) return null;
  return (
    <Fold title="Tool calls" aside={format.count(calls.length)} open>
      <ol className="divide-y rounded-sm border">
        {calls.map((call, i) => (
          <li key={`${call.id} ${i}`}>
            <One call={call} />
          </li>
        ))}
      </ol>
    </Fold>
  );
}

function One({ call }: { call: Call }) {
  const word = callWord(call.status);
  return (
    <div className={cn("px-2", call.status === "failed" || call.status === "denied" ? "bg-bad-bg/50" : undefined)}>
      <Fold
        title={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 py-1">
            <span className="min-w-0 break-words">{call.does || format.title(call.tool)}</span>
            <Badge tone={word.tone} icon={word.icon} title={word.sentence}>
              {word.label}
            </Badge>
          </span>
        }
      >
        <div className="space-y-2 pl-5">
          <p className="text-small text-muted">
            Tool <code>{call.tool}</code>, asked for <Time at={call.asked_at} />
            {call.started_at && call.ended_at && (
              <>
                , took <Elapsed from={call.started_at} to={call.ended_at} />
              </>
            )}
            {call.try && call.try > 1 ? `, try ${call.try}` : ""}
            {call.index !== undefined ? `, entry ${call.index + 1} of the list` : ""}
          </p>
          {call.error && <p className="font-medium break-words whitespace-pre-wrap text-bad-text">{call.error}</p>}
          <div>
            <p className="mb-1 text-small font-medium">Arguments</p>
            <JsonView value={call.args} />
          </div>
          {call.output !== undefined && call.output !== null && (
            <div>
              <p className="mb-1 text-small font-medium">Result</p>
              <JsonView value={call.output} />
            </div>
          )}
          {call.logs && <CodeBlock text={call.logs} />}
        </div>
      </Fold>
    </div>
  );
}
