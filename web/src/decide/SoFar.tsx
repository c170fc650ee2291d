import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useMemo } from "react";
import type { Approval, StepStatus } from "../api/types";
import { type Tree, treeOf } from "../json";
import { Card } from "../ui/Card";
import { format, stepStatus } from "../words";
import { LongText } from "./LongText";
import { Values } from "./Values";

interface Line {
  name: string;
  status: StepStatus;
  /** What it gave: a value, or words where it is none. */
  tree?: Tree;
  text?: string;
}

/** The steps that the account of a run names; undefined where it is told in other words. */
export function readSoFar(text: string): { lead: string; lines: Line[] } | undefined {
  const [lead = "", ...rest] = text.trim().split(/\n(?=- )/);
  const lines: Line[] = [];
  for (const line of rest) {
    const match = /^- ([^:]{1,128}): (\w+)(?: → (.*))?$/s.exec(line);
    const status = match?.[2] as StepStatus;
    if (!match?.[1] || !(status in stepStatus)) return undefined;
    lines.push({ name: match[1], status, ...result(match[3]) });
  }
  return lines.length > 0 ? { lead, lines } : undefined;
}

function result(text: string | undefined): Pick<Line, "tree" | "text"> {
  if (text === undefined) return {};
  try {
    return { tree: treeOf(text) };
  } catch {
    return { text }; // cut, or told in words
  }
}

/** What the run has done until now. */
export function SoFar({ approval: a }: { approval: Approval }) {
  const read = useMemo(() => readSoFar(a.so_far), [a.so_far]);
  if (!a.so_far) return null;
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
            <Done key={i} line={line} />
          ))}
        </ul>
      ) : (
        <LongText text={a.so_far} />
      )}
    </Card>
  );
}

function Done({ line }: { line: Line }) {
  const word = stepStatus[line.status];
  const Icon = word.icon;
  const head = (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="font-medium">{format.title(line.name)}</span>
      <span className="text-muted">{word.label.toLowerCase()}</span>
    </>
  );
  if (!line.tree && !line.text) return <li className="flex items-center gap-2">{head}</li>;
  return (
    <li>
      <details className="group">
        <summary className="flex list-none items-center gap-2 rounded-sm hover:bg-hover pointer-coarse:min-h-11">
          {head}
          <ChevronRight aria-hidden className="ml-auto size-4 text-muted transition-transform group-open:rotate-90" />
        </summary>
        <div className="@container mt-1 mb-2 rounded-sm bg-sunken p-3">
          {line.tree ? <Values tree={line.tree} /> : <LongText text={line.text ?? ""} />}
        </div>
      </details>
    </li>
  );
}
