import { ArrowRight, Download, Send } from "lucide-react";
import { type FormEvent, useEffect, useMemo, useRef, useState } from "react";
import { contentUrl, useCommand } from "../api";
import { usePermitted } from "../api/permitted";
import type { Approval, Deliverable, Event, Run } from "../api/types";
import { askText, waitedFor } from "../graph";
import { settledBy } from "../graph/plan";
import { toneText } from "../graph/tones";
import { cn } from "../lib/cn";
import { PendingCard, useWritten } from "../pending/Pending";
import { Link } from "../router";
import { Avatar } from "../ui/Avatar";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { FoldedText } from "../ui/FoldedText";
import { Select } from "../ui/Select";
import { StatusBadge } from "../ui/StatusBadge";
import { Textarea } from "../ui/Textarea";
import { Time } from "../ui/Time";
import { actorKind, deliverableType, format } from "../words";
import { type Entry, entriesOf } from "./entries";
import { type Speech, useProgress } from "./useProgress";

interface Props {
  run: Run;
  events: Event[];
  approvals: Approval[];
  deliverables: Deliverable[];
  /** It is the main content: it fills its space, and pending approvals are decided in it. */
  leads?: boolean;
}

const shownAtOnce = 100;

/** The id of the field for messages to agents. */
export const messageField = "message";

/** Messages, decisions and deliverables of people and agents, and a message field. */
export function Thread({ run, events, approvals, deliverables, leads = false }: Props) {
  const going = run.ended_at === null;
  const mayTalk = usePermitted(run)(["message"]).length > 0;
  const speech = useProgress(run.id, going);
  const entries = useMemo(
    () => entriesOf(run, events, approvals, deliverables),
    [run, events, approvals, deliverables],
  );
  const [more, setMore] = useState(1);
  const end = useRef<HTMLDivElement>(null);
  const shown = entries.slice(-shownAtOnce * more);
  // New entries scroll into view if the end was in view, as it is at first.
  useEffect(() => {
    const box = end.current?.parentElement;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new entry and word may move the end out of view
  useEffect(() => {
    const box = end.current?.parentElement;
    if (box && box.scrollHeight - box.scrollTop - box.clientHeight < 160) box.scrollTop = box.scrollHeight;
  }, [entries.length, speech]);
  return (
    <div className={cn("flex min-h-0 flex-col", leads && "h-full")}>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        tabIndex={0}
        aria-label="Thread"
        className={cn("space-y-3 overflow-y-auto p-4 -outline-offset-2", leads ? "min-h-0 flex-1" : "max-h-[60vh]")}
      >
        {entries.length > shown.length && (
          <Button look="ghost" size="small" onClick={() => setMore(more + 1)}>
            Show {format.count(Math.min(shownAtOnce, entries.length - shown.length))} earlier
          </Button>
        )}
        {shown.map((entry) => (
          <EntryView key={entry.key} entry={entry} decide={leads} />
        ))}
        <Live run={run} speech={speech} />
        <div ref={end} />
      </section>
      {going && mayTalk && <Composer run={run} />}
    </div>
  );
}

/** A pending approval, decided in place. */
function Deciding({ approval }: { approval: Approval }) {
  const { kept, write } = useWritten();
  if (approval.status !== "pending" && !kept.has(approval.id)) return <Asked approval={approval} />;
  return (
    <div className="ml-8 rounded-sm border border-warn-fill bg-surface max-sm:ml-0">
      <PendingCard approval={approval} alone onWrite={write} />
    </div>
  );
}

function EntryView({ entry, decide }: { entry: Entry; decide: boolean }) {
  switch (entry.kind) {
    case "message":
      return <Said entry={entry} />;
    case "approval":
      return decide ? <Deciding approval={entry.approval} /> : <Asked approval={entry.approval} />;
    case "deliverable":
      return <HandedIn entry={entry} />;
    case "line":
      return (
        <div className="flex items-baseline gap-2 pl-8 text-small text-muted">
          <div className={cn("min-w-0", entry.tone !== "neutral" && toneText[entry.tone])}>
            <FoldedText text={entry.text} />
          </div>
          <Time at={entry.at} className="shrink-0" />
        </div>
      );
  }
}

function Said({ entry }: { entry: Extract<Entry, { kind: "message" }> }) {
  const { from, text, to } = entry.message;
  const agent = from.kind === "agent";
  const name = from.name ? (agent ? format.title(from.name) : from.name) : actorKind[from.kind].label;
  const Icon = actorKind[from.kind].icon;
  return (
    <article className="flex gap-2">
      {agent || !from.name ? (
        <span
          aria-hidden
          className="flex size-6 shrink-0 items-center justify-center rounded-full bg-neutral-bg text-muted"
        >
          <Icon className="size-3.5" />
        </span>
      ) : (
        <Avatar name={name} decorative />
      )}
      <div className="min-w-0 flex-1">
        <p className="text-small text-muted">
          <span className="font-semibold text-text">{name}</span>
          {agent && ", agent"}
          {to && ` to ${format.title(to)}`} · <Time at={entry.at} />
        </p>
        <p dir="auto" className="break-words whitespace-pre-wrap">
          {text}
        </p>
      </div>
    </article>
  );
}

function Asked({ approval }: { approval: Approval }) {
  const settled = settledBy(approval);
  return (
    <article className="ml-8 rounded-sm border bg-surface max-sm:ml-0">
      <Link
        to="/approvals/$id"
        params={{ id: approval.id }}
        className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 hover:bg-hover"
      >
        <StatusBadge approval={approval.status} />
        <span className="min-w-40 flex-1 font-medium break-words">{askText(approval)}</span>
        <span className="text-small text-muted">
          {settled ?? `waits for ${waitedFor(approval)}`} · <Time at={approval.outcome?.at ?? approval.requested_at} />
        </span>
        <ArrowRight aria-hidden className="size-4 text-muted" />
      </Link>
      {[
        ...approval.decisions.map((d) => ({ by: d.by, text: d.comment, at: d.at })),
        ...approval.comments.map((c) => ({ by: c.by, text: c.text, at: c.at })),
      ]
        .filter((said) => said.text)
        .map((said, i) => (
          <p key={i} className="border-t px-3 py-1.5 text-control">
            <span className="font-medium">{said.by}</span>{" "}
            <span dir="auto" className="break-words whitespace-pre-wrap">
              {said.text}
            </span>{" "}
            <Time at={said.at} className="text-small text-muted" />
          </p>
        ))}
    </article>
  );
}

function HandedIn({ entry }: { entry: Extract<Entry, { kind: "deliverable" }> }) {
  const word = deliverableType(entry.type);
  const Icon = word.icon;
  return (
    <article className="ml-8 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-sm border bg-surface px-3 py-2 max-sm:ml-0">
      <Icon aria-hidden className="size-4 text-muted" />
      <span className="min-w-40 flex-1 break-words">
        <span className="font-medium">{entry.name}</span>
        <span className="text-small text-muted"> {entry.by && `by ${entry.by} · `}</span>
        <Time at={entry.at} className="text-small text-muted" />
      </span>
      {entry.deliverable && entry.deliverable.url === null && (
        <Button asChild size="small">
          <a href={contentUrl(entry.id)} download={entry.name}>
            <Download /> Download {format.bytes(entry.deliverable.size)}
          </a>
        </Button>
      )}
    </article>
  );
}

/** What agents are writing at this moment. */
function Live({ run, speech }: { run: Run; speech: Speech }) {
  if (speech.size === 0) return null;
  return (
    <div aria-live="off" className="space-y-3">
      {[...speech].map(([key, { step, text, percent }]) => {
        const agent = run.steps.find((s) => s.id === step)?.agent;
        const Icon = actorKind.agent.icon;
        return (
          <article key={key} className="flex gap-2">
            <span
              aria-hidden
              className="motion-pulse flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-bg text-accent-text"
            >
              <Icon className="size-3.5" />
            </span>
            <div className="min-w-0 flex-1">
              <p className="text-small text-muted">
                <span className="font-semibold text-text">{format.title(agent ?? step)}</span> is writing
                {percent ? `, ${format.percent(percent / 100)} done` : ""}
              </p>
              <p dir="auto" className="break-words whitespace-pre-wrap text-muted">
                {text}
              </p>
            </div>
          </article>
        );
      })}
    </div>
  );
}

function Composer({ run }: { run: Run }) {
  const [text, setText] = useState("");
  const [to, setTo] = useState("");
  const command = useCommand(run.id);
  const agents = [...new Set(run.steps.filter((s) => s.ended_at === null).flatMap((s) => (s.agent ? [s.agent] : [])))];
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    const said = text.trim();
    if (!said || command.isPending) return;
    command.mutate({ type: "message", text: said, to: to || undefined }, { onSuccess: () => setText("") });
  };
  return (
    <form onSubmit={send} className="space-y-2 border-t p-3">
      {command.error && <ErrorNote error={command.error} />}
      <Textarea
        id={messageField}
        aria-label="Message"
        rows={2}
        placeholder="Message the agents. They read it before their next turn."
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) send();
        }}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="text-small text-muted">To</span>
        <Select
          label="To whom"
          value={to}
          onValueChange={setTo}
          options={[
            { value: "", label: "All working agents" },
            ...agents.map((agent) => ({ value: agent, label: format.title(agent) })),
          ]}
        />
        <Button type="submit" look="filled" disabled={!text.trim()} loading={command.isPending} title="Ctrl + Enter">
          <Send /> Send
        </Button>
      </div>
    </form>
  );
}
