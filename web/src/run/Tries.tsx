import { useState } from "react";
import type { Try } from "../api/types";
import { ChangeList } from "../decide/ChangeList";
import { diffOf } from "../decide/diff";
import { treeOf } from "../json";
import { Badge } from "../ui/Badge";
import { CodeBlock } from "../ui/CodeBlock";
import { FoldedText } from "../ui/FoldedText";
import { JsonView } from "../ui/JsonView";
import { Select } from "../ui/Select";
import { Elapsed, Time } from "../ui/Time";
import { format } from "../words";
import { Fold } from "./Fold";

/** "Try 2", "Entry 4, try 1", "Revision 1, try 1". */
export function tryName(t: Try): string {
  const parts = [];
  if (t.index !== undefined) parts.push(`entry ${t.index + 1}`);
  if (t.revision) parts.push(`revision ${t.revision}`);
  parts.push(`try ${t.try}`);
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** All attempts at a step, newest last, and the differences between two. */
export function Tries({ tries }: { tries: Try[] }) {
  if (tries.length < 2) return null;
  const outputs = tries.filter((t) => t.output !== undefined && t.output !== null);
  return (
    <>
      <Fold title="Tries" aside={format.count(tries.length)} open={tries.some((t) => t.error) && tries.length < 8}>
        <ol className="divide-y rounded-sm border">
          {tries.map((t, i) => (
            <li key={i} className="p-3">
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="font-medium">{tryName(t)}</span>
                <Badge tone={t.error ? "bad" : t.ended_at ? "ok" : "info"}>
                  {t.error ? "Failed" : t.ended_at ? "Answered" : "At work"}
                </Badge>
                <span className="text-small text-muted">
                  <Time at={t.started_at} />, <Elapsed from={t.started_at} to={t.ended_at} />
                  {t.turns ? `, ${format.plural(t.turns, "turn")}` : ""}
                </span>
              </div>
              {t.error && (
                <div className="mt-1 text-bad-text">
                  <FoldedText text={t.error.message} />
                </div>
              )}
              {t.error?.stack && <CodeBlock className="mt-1" text={t.error.stack} wrap={false} />}
              {t.error?.body && <CodeBlock className="mt-1" text={t.error.body} />}
              {t.retry_at && t.error && (
                <p className="text-small text-muted">
                  Tried again after {format.duration(Date.parse(t.retry_at) - Date.parse(t.ended_at ?? t.started_at))}.
                </p>
              )}
              {t.output !== undefined && t.output !== null && (
                <Fold title="Output">
                  <JsonView value={t.output} />
                </Fold>
              )}
              {t.logs && (
                <Fold title="Log">
                  <CodeBlock text={t.logs} />
                </Fold>
              )}
            </li>
          ))}
        </ol>
      </Fold>
      {outputs.length > 1 && <Compare tries={outputs} />}
    </>
  );
}

function Compare({ tries }: { tries: Try[] }) {
  const [left, setLeft] = useState(String(tries.length - 2));
  const [right, setRight] = useState(String(tries.length - 1));
  const options = tries.map((t, i) => ({ value: String(i), label: tryName(t) }));
  const before = tries[Number(left)];
  const after = tries[Number(right)];
  return (
    <Fold title="What differs between two tries">
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <Select label="Before" value={left} onValueChange={setLeft} options={options} />
        <span className="text-muted">and</span>
        <Select label="After" value={right} onValueChange={setRight} options={options} />
      </div>
      <ChangeList changes={diffOf(treeOf(before?.output), treeOf(after?.output))} />
    </Fold>
  );
}
