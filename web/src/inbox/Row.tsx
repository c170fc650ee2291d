import { Check, ChevronRight } from "lucide-react";
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useRef } from "react";
import { useMe } from "../api/documents";
import type { Approval } from "../api/types";
import { cn } from "../lib/cn";
import type { Doing } from "../lib/decisions";
import { secondsLeft } from "../lib/undo";
import { Button } from "../ui/Button";
import { confidenceBand, stated } from "../ui/ConfidenceBar";
import { useClock } from "../ui/clock";
import { hover } from "../ui/hover";
import { RiskBadge } from "../ui/RiskBadge";
import { Skeleton } from "../ui/Skeleton";
import { TestBadge } from "../ui/TestBadge";
import { Elapsed } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { approvalKind, approvalReason, format, onTimeout } from "../words";
import { atDeadline } from "../words/timeout";
import { spelled } from "../words/unseen";
import { longTitle, titleText } from "./gist";
import { changed, doingText, fate, fateText, forWhom, quorum, settledText, who } from "./say";
import { Title } from "./Title";

/** The callbacks of a row; one object for all rows, so that rows render only when they change. */
export interface RowActions {
  /** Moves there, or shows it beside the list. */
  visit: (id: string) => void;
  /** Opens its own page. */
  open: (id: string) => void;
  select: (id: string, range: boolean) => void;
  undo: (id: string) => void;
  /** Shows all members of its group, or one row for them again. */
  unfold: (id: string) => void;
}

interface Props {
  approval: Approval;
  index: number;
  count: number;
  cursor: boolean;
  /** Shown beside the list without being at the cursor. */
  shown: boolean;
  /** Takes the keyboard focus. */
  focus: boolean;
  selected: boolean;
  /** The user is selecting several. */
  selecting: boolean;
  doing: Doing | undefined;
  /** Member of an unfolded group. */
  member?: "first" | "next";
  card: boolean;
  top: number;
  height: number;
  on: RowActions;
}

/** One approval in the list: the request, the requester, the risk and the deadline. A card on phones. */
export const Row = memo(function Row(props: Props) {
  const { approval, index, count, cursor, focus, selected, doing, card, on } = props;
  const { id } = approval;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (focus) link.current?.focus({ preventScroll: true });
  }, [focus]);
  const over =
    approval.status !== "pending" || (doing !== undefined && doing.phase !== "changed" && doing.phase !== "failed");
  const click = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.button !== 0) return;
    event.preventDefault();
    if (event.shiftKey) on.select(id, true);
    else on.visit(id);
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault(); // otherwise the browser turns it into a click
    if (!event.repeat) on.open(id);
  };
  return (
    <li
      aria-setsize={count}
      aria-posinset={index + 1}
      data-row={id}
      data-decides={id}
      style={{ transform: `translateY(${props.top}px)`, height: props.height }}
      className={cn(
        "absolute inset-x-0 top-0 flex items-stretch border-b bg-surface transition-[transform,background-color] duration-[160ms] hover:bg-hover in-data-still:transition-none",
        "has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent",
        selected && "bg-accent-bg hover:bg-accent-bg",
        (cursor || props.shown) && "shadow-[inset_3px_0_0_var(--accent)] bg-hover",
        cursor && selected && "bg-accent-bg",
      )}
    >
      <span className={cn("flex items-center justify-center", card ? "w-12 items-start pt-4" : "w-11")}>
        <Tick
          checked={selected}
          label={`Select ${titleText(approval)}`}
          onChange={() => on.select(id, false)}
          disabled={approval.status !== "pending"}
        />
      </span>
      {(approval.alike || props.member) && (
        <span className={cn("-ml-1 flex w-6", card ? "pt-2.5" : "items-center")}>
          {props.member !== "next" && (
            <button
              type="button"
              tabIndex={-1} // Enter and arrows do this from the row
              aria-expanded={!approval.alike}
              aria-label={approval.alike ? `Review each of the ${approval.alike.count}` : "Show one row for them"}
              onClick={() => on.unfold(id)}
              className="inline-flex size-6 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-text pointer-coarse:-m-2.5 pointer-coarse:size-11"
            >
              <ChevronRight aria-hidden className={cn("size-4", !approval.alike && "rotate-90")} />
            </button>
          )}
        </span>
      )}
      {/* Not a Link: each of them subscribes to the URL, and rows come and go by the hundred. */}
      <a
        ref={link}
        href={`/approvals/${encodeURIComponent(id)}`}
        tabIndex={cursor || (index === 0 && !props.selecting) ? 0 : -1}
        aria-current={cursor || undefined}
        onClick={click}
        onDoubleClick={() => on.open(id)}
        onKeyDown={enter}
        className={cn("min-w-0 flex-1 outline-none", over && "text-muted", card ? "py-3 pr-4" : "pr-3")}
      >
        {card ? <CardFace approval={approval} doing={doing} /> : <RowFace approval={approval} doing={doing} />}
      </a>
      {doing?.phase === "held" && (
        <span className="absolute inset-y-0 right-3 flex items-center">
          <Button size="small" onClick={() => on.undo(id)}>
            Undo
          </Button>
        </span>
      )}
    </li>
  );
});

/** Like ui/Checkbox, but light enough to come and go with every row while scrolling. */
function Tick(props: { checked: boolean; label: string; disabled: boolean; onChange: () => void }) {
  return (
    <button
      type="button"
      // Not an input: shortcuts are off while one has the focus.
      role="checkbox"
      aria-checked={props.checked}
      aria-label={props.label}
      disabled={props.disabled}
      tabIndex={-1} // X does this from the row
      onClick={props.onChange}
      className={cn(
        "relative inline-flex size-4 items-center justify-center rounded-[4px] border border-border-strong bg-surface after:absolute after:-inset-3.75 disabled:opacity-50",
        props.checked && "border-accent bg-accent text-on-accent",
      )}
    >
      {props.checked && <Check aria-hidden className="size-3" strokeWidth={3} />}
    </button>
  );
}

function RowFace({ approval, doing }: { approval: Approval; doing: Doing | undefined }) {
  return (
    <span className="grid h-full grid-cols-[minmax(0,1fr)_9.5rem] items-center gap-x-3 @4xl:grid-cols-[minmax(0,1fr)_104px_140px_52px]">
      <span className="min-w-0">
        {approval.test_mode ? (
          <span className="flex min-w-0 items-center gap-2">
            <TestBadge test />
            <Title approval={approval} className="line-clamp-2 min-w-0 break-words" />
          </span>
        ) : (
          <Title approval={approval} className="line-clamp-2 break-words" />
        )}
        <Second approval={approval} doing={doing} />
      </span>
      <span className="flex flex-col items-start gap-1 @max-4xl:items-end">
        <RiskBadge level={approval.risk.level} reasons={approval.risk.reasons} />
        <MiniConfidence confidence={stated(approval)} className="@max-4xl:hidden" />
        <Fate approval={approval} className="text-small @4xl:hidden" />
        {!approval.deadline_at && (
          <span className="text-small @4xl:hidden">
            <Waiting approval={approval} />
          </span>
        )}
      </span>
      <span className="flex min-w-0 flex-col items-end gap-0.5 text-small @max-4xl:hidden">
        <Fate approval={approval} />
        <Waiting approval={approval} />
      </span>
      <span className="flex flex-col items-end gap-0.5 text-small text-muted @max-4xl:hidden">
        <Cost approval={approval} />
        <Quorum approval={approval} />
      </span>
    </span>
  );
}

function CardFace({ approval, doing }: { approval: Approval; doing: Doing | undefined }) {
  const quiet = doing === undefined && approval.status === "pending" && !changed(approval);
  const tall = quiet && approval.title.length > longTitle;
  return (
    <span className="flex h-full flex-col gap-1">
      <Title approval={approval} className={cn("shrink-0 break-words", tall ? "line-clamp-3" : "line-clamp-2")} />
      {!tall && <Second approval={approval} doing={doing} />}
      <Line text={approval.description} not={approval.title} />
      {/* Items that do not fit move to the next line, if a short title leaves space; the most important come first. */}
      <span className="mt-auto flex min-h-5 flex-wrap items-center justify-end gap-x-3 gap-y-0.5 overflow-hidden text-small *:leading-5">
        <span className="mr-auto flex gap-1.5">
          <RiskBadge level={approval.risk.level} reasons={approval.risk.reasons} />
          <TestBadge test={approval.test_mode} />
        </span>
        <Fate approval={approval} />
        <Quorum approval={approval} />
        <Cost approval={approval} />
        <Waiting approval={approval} />
      </span>
    </span>
  );
}

const lineMax = 160; // characters, more than fits in a line on any phone

/** Uses the space that a short title leaves; else it shrinks to nothing. The approval's page shows all of it. */
function Line({ text, not }: { text: string; not: string }) {
  if (text.trim() === "" || text === not) return null;
  return (
    <span aria-hidden dir="auto" className="shrink-[99] truncate text-small text-muted">
      <Visible text={text.slice(0, lineMax)} />
    </span>
  );
}

/** The second line: the requester, or what is happening to the row. */
function Second({ approval, doing }: { approval: Approval; doing: Doing | undefined }) {
  const until = doing?.phase === "held" ? doing.until : 0;
  const left = useClock((now) => (until ? secondsLeft(until, now) : 0));
  if (doing) {
    const tone =
      doing.phase === "failed" || doing.phase === "late" || doing.phase === "changed"
        ? "text-warn-text"
        : "text-accent-text";
    return (
      <span className={cn("block shrink-0 truncate text-small font-medium", tone)} title={doingText(doing, left)}>
        {doingText(doing, left)}
      </span>
    );
  }
  if (approval.status !== "pending") {
    return <Settled approval={approval} />;
  }
  const asked = forWhom(approval);
  const reason = approvalReason[approval.reason];
  return (
    <span
      className="block shrink-0 truncate text-small text-muted"
      title={`${who(approval)}. ${reason.sentence} ${asked}`}
    >
      {changed(approval) && <span className="font-medium text-warn-text">Changed, asked again · </span>}
      {who(approval)} · {approvalKind[approval.kind].label}
      {approval.reason !== "gate" && ` · ${reason.label}`}
      {asked && ` · ${asked}`}
      {approval.drafts ? ` · ${format.plural(approval.drafts, "file")}` : ""}
    </span>
  );
}

function Settled({ approval }: { approval: Approval }) {
  const { data: me } = useMe();
  const text = settledText(approval, me?.name);
  return (
    <span className="block shrink-0 truncate text-small font-medium text-muted" title={text}>
      {text}
    </span>
  );
}

const fills: Record<string, string> = { ok: "bg-ok-fill", warn: "bg-warn-fill", bad: "bg-bad-fill" };

function MiniConfidence({ confidence, className }: { confidence: number | null; className?: string }) {
  if (confidence === null) return null;
  const band = confidenceBand(confidence);
  return (
    <span
      className={cn("inline-flex items-center gap-1.5 pl-2 text-meta whitespace-nowrap text-muted", className)}
      title={band.sentence}
    >
      <span aria-hidden className="h-1 w-8 overflow-hidden rounded-full bg-neutral-bg">
        <span
          className={cn("block h-full origin-left", fills[band.tone])}
          style={{ transform: `scaleX(${Math.min(1, Math.max(0, confidence))})` }}
        />
      </span>
      {format.percent(confidence)} sure
    </span>
  );
}

/** When something happens automatically, and what. Amber in the last hour, red in the last ten minutes. */
function Fate({ approval, className }: { approval: Approval; className?: string }) {
  const end = fate(approval);
  const left = useClock((now) => (end ? Math.floor((end.at - now) / 1000) : 0));
  if (!end || approval.status !== "pending") return null;
  const paused = !approval.deadline_at;
  if (paused && left > 86_400) return null; // days away: not worth showing in the list
  const tone = left < 600 ? "text-bad-text font-medium" : left < 3600 ? "text-warn-text" : "text-muted";
  const then = approval.deadline_at ? atDeadline(approval) : onTimeout.pause.sentence;
  const what = end.act ? `Without a decision, ${spelled(then)}: ` : "";
  return (
    <span className={cn("max-w-full truncate", tone, className)} {...hover(() => `${what}${format.exact(end.at)}`)}>
      {fateText(end.act, left)}
    </span>
  );
}

function Waiting({ approval }: { approval: Approval }) {
  if (approval.status !== "pending") return null;
  return (
    <span
      className="whitespace-nowrap text-muted"
      {...hover(() => `Asked ${format.exact(Date.parse(approval.requested_at))}`)}
    >
      Waiting <Elapsed from={approval.requested_at} />
    </span>
  );
}

function Cost({ approval: { estimated_cost_usd: cost } }: { approval: Approval }) {
  if (cost === null) return null;
  return (
    <span className="truncate text-small text-text" title="What it would cost, as far as the agent knows">
      {format.money(cost)}
    </span>
  );
}

function Quorum({ approval }: { approval: Approval }) {
  const text = quorum(approval);
  if (!text) return null;
  return (
    <span className="text-small whitespace-nowrap text-muted" title={`${text} people have agreed`}>
      {text}
    </span>
  );
}

/** The placeholder of a row that is loading. */
export function RowPlace({ top, height, index, count }: { top: number; height: number; index: number; count: number }) {
  return (
    <li
      aria-setsize={count}
      aria-posinset={index + 1}
      aria-label="Loading"
      style={{ transform: `translateY(${top}px)`, height }}
      className="absolute inset-x-0 top-0 flex flex-col justify-center gap-2 border-b bg-surface pr-4 pl-11"
    >
      <Skeleton className="h-3 w-2/5" />
      <Skeleton className="h-2.5 w-3/5" />
    </li>
  );
}
