import { ChevronRight, CircleX, MessageSquare, Wrench } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { Approval, StepStatus } from "../api/types";
import { type Tree, treeOf } from "../json";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
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

export interface Said {
  name: string;
  how: "said" | "gave" | "failed";
  text: string;
}

const ways = { ": ": "said", " → ": "gave", " failed: ": "failed" } as const;

/** The account of an agent at work: what it said and what its tools gave; undefined where it is told in other words. */
export function readTalk(text: string): Said[] | undefined {
  const out: Said[] = [];
  for (const line of text.split("\n")) {
    const match = /^([\p{L}\p{N}_./-]{1,128})(: | → | failed: )(.*)$/su.exec(line);
    const last = out.at(-1);
    if (match) out.push({ name: match[1] ?? "", how: ways[match[2] as keyof typeof ways], text: match[3] ?? "" });
    else if (last) last.text += `\n${line}`;
    else return undefined;
  }
  return out.length > 0 ? out : undefined;
}

/** What the run has done until now. */
export function SoFar({ approval: a }: { approval: Approval }) {
  const read = useMemo(() => readSoFar(a.so_far), [a.so_far]);
  const talk = useMemo(() => (read ? undefined : readTalk(a.so_far)), [read, a.so_far]);
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
}

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

/** A line that opens for what stands behind it. */
function Opens({ head, children }: { head: ReactNode; children: ReactNode }) {
  return (
    <details className="group">
      <summary className="flex list-none items-center gap-2 rounded-sm hover:bg-hover pointer-coarse:min-h-11">
        {head}
        <ChevronRight aria-hidden className="ml-auto size-4 text-muted transition-transform group-open:rotate-90" />
      </summary>
      <div className="@container mt-1 mb-2 rounded-sm bg-sunken p-3">{children}</div>
    </details>
  );
}

function Done({ line }: { line: Line }) {
  const word = stepStatus[line.status];
  const Icon = word.icon;
  const head = (
    <>
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="font-medium">
        <Visible text={format.title(line.name)} />
      </span>
      <span className="text-muted">{word.label.toLowerCase()}</span>
    </>
  );
  if (!line.tree && !line.text) return <li className="flex items-center gap-2">{head}</li>;
  return (
    <li>
      <Opens head={head}>{line.tree ? <Values tree={line.tree} /> : <LongText text={line.text ?? ""} />}</Opens>
    </li>
  );
}
