import { ArrowUp, X } from "lucide-react";
import type { Approval } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { useClock } from "../ui/clock";
import { Kbd } from "../ui/Kbd";
import { format, risk } from "../words";
import { alike, subjectOf, whyNotAct, whyNotTogether } from "./batch";
import type { Decisions } from "./decisions";
import { doingWord } from "./say";

/** Says that more came, without moving anything. */
export function NewPill({ count, atMost, onShow }: { count: number; atMost: boolean; onShow: () => void }) {
  const text = count === 0 ? "The list changed" : `${format.count(count)}${atMost ? "+" : ""} new`;
  return (
    <div className="pointer-events-none absolute inset-x-0 top-2 z-20 flex justify-center">
      <button
        type="button"
        onClick={onShow}
        className="motion-pop pointer-events-auto inline-flex h-8 items-center gap-1.5 rounded-full bg-accent px-4 text-control font-medium text-on-accent shadow-overlay hover:bg-accent-hover pointer-coarse:h-11"
      >
        <ArrowUp aria-hidden className="size-4" />
        {text}
        <span className="sr-only">: show the list as it is now</span>
      </button>
    </div>
  );
}

/** What can still be taken back. */
export function UndoBar({ decisions, onUndo }: { decisions: Decisions; onUndo: () => void }) {
  const { held } = decisions;
  const last = held.at(-1);
  const until = last?.until ?? 0;
  const left = useClock((now) => Math.max(0, Math.ceil((until - now) / 1000)));
  if (!last) return null;
  const word = doingWord(last.decision.act);
  return (
    <div className="motion-rise flex items-center gap-3 border-t bg-raised px-4 py-2">
      <p role="status" className="min-w-0 flex-1 truncate" title={last.approval.title}>
        <strong className="font-medium">{word}</strong>
        <span aria-hidden> in {left} s</span> <span className="text-muted">“{last.approval.title}”</span>
        {held.length > 1 && <span className="text-muted"> and {format.count(held.length - 1)} more</span>}
      </p>
      <Button size="small" onClick={onUndo}>
        Undo <Kbd keys="z" />
      </Button>
    </div>
  );
}

interface SelectionProps {
  selection: ReadonlyMap<string, Approval>;
  /** Rows in memory that are like the chosen ones. */
  similar: number;
  onSimilar: () => void;
  onOnlySimilar: () => void;
  onClear: () => void;
  onDecide: (act: "approve" | "reject") => void;
}

/** What can be done with the chosen rows together, or why not. */
export function SelectionBar({ selection, similar, onSimilar, onOnlySimilar, onClear, onDecide }: SelectionProps) {
  const chosen = [...selection.values()];
  const [first] = chosen;
  if (!first) return null;
  const apart = whyNotTogether(chosen);
  const noApprove = apart || whyNotAct(chosen, "approve");
  const noReject = apart || whyNotAct(chosen, "reject");
  const why = apart || [...new Set([noApprove, noReject].filter(Boolean))].join(". ");
  const keep = first.risk.level !== "critical" && chosen.filter((a) => alike(a, first)).length < chosen.length;
  return (
    <section
      aria-label="Chosen approvals"
      className="motion-rise flex flex-wrap items-center gap-x-3 gap-y-2 border-t bg-raised px-4 py-2"
    >
      <IconButton label="Clear the selection (Esc)" className="-ml-2" onClick={onClear}>
        <X />
      </IconButton>
      <p role="status" className="min-w-0 flex-1">
        <strong className="font-medium">{format.count(chosen.length)} chosen</strong>{" "}
        <span className={why ? "text-warn-text" : "text-muted"}>
          {why
            ? `${why}.`
            : [subjectOf(first).label, first.risk.level && risk[first.risk.level].label].filter(Boolean).join(", ")}
        </span>
      </p>
      <span className="flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-1">
        {apart && keep && <Button onClick={onOnlySimilar}>Keep those like the first</Button>}
        {!apart && similar > chosen.length && (
          <Button look="ghost" onClick={onSimilar}>
            All {format.count(similar)} like these
          </Button>
        )}
        <Button look="danger-outlined" disabled={noReject !== ""} title={noReject} onClick={() => onDecide("reject")}>
          Reject {format.count(chosen.length)}
        </Button>
        <Button look="filled" disabled={noApprove !== ""} title={noApprove} onClick={() => onDecide("approve")}>
          Approve {format.count(chosen.length)}
        </Button>
      </span>
    </section>
  );
}
