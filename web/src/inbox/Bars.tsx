import { ArrowUp } from "lucide-react";
import type { Decisions } from "../lib/decisions";
import { secondsLeft } from "../lib/undo";
import { Button } from "../ui/Button";
import { useClock } from "../ui/clock";
import { Kbd } from "../ui/Kbd";
import { format } from "../words";
import { titleText } from "./gist";
import { doingWord } from "./say";

/** Announces new approvals without moving anything. */
export function NewPill({ count, atMost, onShow }: { count: number; atMost: boolean; onShow: () => void }) {
  const text = count === 0 ? "The list changed" : `${format.count(count)}${atMost ? "+" : ""} new`;
  return (
    <div className="pointer-events-none absolute inset-x-0 top-2 z-20 flex justify-center">
      <button
        type="button"
        onClick={onShow}
        className="motion-pop pointer-events-auto inline-flex h-8 items-center gap-1.5 rounded-full bg-accent px-4 text-control font-medium text-on-accent shadow-overlay hover:bg-accent-hover pointer-coarse:h-(--tap)"
      >
        <ArrowUp aria-hidden className="size-4" />
        {text}
        <span className="sr-only">: show the list as it is now</span>
      </button>
    </div>
  );
}

/** Decisions that can still be undone. */
export function UndoBar({ decisions, onUndo }: { decisions: Decisions; onUndo: () => void }) {
  const { held } = decisions;
  const last = held.at(-1);
  const until = last?.until ?? 0;
  const left = useClock((now) => secondsLeft(until, now));
  if (!last) return null;
  const word = doingWord(last.decision.act);
  return (
    <div data-answers="" className="motion-rise flex items-center gap-3 border-t bg-raised px-4 py-2">
      <p role="status" className="min-w-0 flex-1 truncate" title={titleText(last.approval)}>
        <strong className="font-medium">{word}</strong>
        <span aria-hidden> in {left} s</span> <span className="text-muted">“{titleText(last.approval)}”</span>
        {held.length > 1 && <span className="text-muted"> and {format.count(held.length - 1)} more</span>}
      </p>
      <Button size="small" onClick={onUndo}>
        Undo <Kbd keys="z" />
      </Button>
    </div>
  );
}

/** Shown above rows that may be out of date. */
export function LostBar({ since }: { since: number }) {
  return (
    <p role="status" className="border-b bg-warn-bg px-4 py-2 text-small text-warn-text sm:px-6">
      Connection lost since {format.clock(since)}. What is shown may be old; decisions are still checked by the server.
    </p>
  );
}
