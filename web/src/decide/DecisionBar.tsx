import { PencilLine, Undo2 } from "lucide-react";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { useMe } from "../api/documents";
import { cn } from "../lib/cn";
import { later } from "../lib/later";
import { secondsLeft } from "../lib/undo";
import { useShortcuts } from "../shell/shortcuts";
import { Button } from "../ui/Button";
import { useClock } from "../ui/clock";
import { Kbd } from "../ui/Kbd";
import { OnAsk } from "../ui/OnAsk";
import { Textarea } from "../ui/Textarea";
import { Visible } from "../ui/Visible";
import { act as acts, format } from "../words";
import { spelled } from "../words/unseen";
import { buttonText } from "./buttonText";
import { Calm } from "./Calm";
import { MoreButton } from "./MoreButton";
import { SendError } from "./SendError";
import { useMayComment } from "./Thread";
import type { Desk } from "./useDesk";
import { VoteAs } from "./VoteAs";
import { outcomeText, ownVote, recipient, whyNot } from "./words";

const dialog = () => import("./ActDialog");
const ActDialog = lazy(dialog);
const moreMenu = () => import("./MoreMenu");
const MoreMenu = lazy(moreMenu);

export interface DecisionBarProps {
  desk: Desk;
  /** Whether A, E, R, C and 1–9 work; if several ask for them, the last one on the page gets them. */
  shortcuts?: boolean;
  /** The target of C. */
  onComment?: () => void;
  /** Shown when there is nothing to decide, or nothing left. */
  after?: ReactNode;
  className?: string;
}

/** The answers that the server offers, within thumb reach. The button names its effect. */
export function DecisionBar(props: DecisionBarProps) {
  const { approval, pending, main, held, exhibits } = props.desk;
  const open = pending && approval.acts.length > 0;
  return (
    // Anything that replaces Approve in the same place: the next approval, the link to it, or other answers.
    <Calm face={`${approval.id} ${open} ${main !== undefined} ${held !== undefined} ${exhibits.face}`}>
      <Answers {...props} />
    </Calm>
  );
}

function Answers({ desk, shortcuts = true, onComment, after, className }: DecisionBarProps) {
  const [noting, setNoting] = useState(desk.note !== "" && desk.pending);
  const { pending, approval } = desk;
  const open = pending && approval.acts.length > 0;
  const mayComment = useMayComment(approval);
  useKeys(desk, shortcuts && open && !desk.held, mayComment ? onComment : undefined);
  useUndoKey(desk, shortcuts);
  useEffect(() => {
    // Load dialogs and menus before they are needed; opening one retries a failed load.
    if (open) return later(() => void Promise.all([dialog(), moreMenu()]).catch(() => {}));
  }, [open]);
  // A note or dialog stays open while the user writes in it, even if the approval is settled in the meantime.
  const written = pending || desk.done === undefined;
  const late = !pending && desk.done === undefined && (desk.late || (noting && desk.note !== "") || desk.asking);
  const foot = desk.held ? (
    <HeldBar desk={desk} held={desk.held} />
  ) : open ? (
    <Open desk={desk} noting={noting} onNote={() => setNoting(!noting)} />
  ) : (
    <Closed desk={desk} after={after} />
  );
  return (
    <div
      data-answers={approval.id}
      className={cn("@container bg-surface", (open || pending || late || after) && "border-t", className)}
    >
      {desk.error && !desk.asking && !late && (
        <Line>
          <SendError desk={desk} />
        </Line>
      )}
      {late && (
        <Line>
          <Late desk={desk} onDiscard={() => setNoting(false)} />
        </Line>
      )}
      {noting && written && !desk.held && (
        <Line>
          <Note desk={desk} onClose={() => setNoting(false)} />
        </Line>
      )}
      {open && !desk.held && desk.role && desk.main && (
        <Line>
          <VoteAs desk={desk} />
        </Line>
      )}
      {foot}
      <Suspense>{desk.asking && written && <ActDialog desk={desk} />}</Suspense>
    </div>
  );
}

/** A decision is sent after a short delay; until then it can be undone. */
function HeldBar({ desk, held }: { desk: Desk; held: NonNullable<Desk["held"]> }) {
  const left = useClock((now) => secondsLeft(held.until, now));
  return (
    <Bar>
      <p role="status" className="min-w-40 flex-1">
        <span className="font-medium">{heldText(held)}</span>
        <span aria-hidden className="text-muted">
          {" "}
          · sent in {left} s
        </span>
      </p>
      <Button onClick={desk.undo}>
        Undo <Kbd keys="z" />
      </Button>
    </Bar>
  );
}

export function heldText({ decision: { act, to } }: NonNullable<Desk["held"]>): string {
  if (act === "delegate" || act === "escalate") {
    const done = act === "delegate" ? "Handed over" : "Escalated";
    return to ? `${done} to ${recipient(to)}` : done;
  }
  return acts[act].done.charAt(0).toUpperCase() + acts[act].done.slice(1);
}

function Line({ children }: { children: ReactNode }) {
  return <div className="mx-auto max-w-300 px-4 pt-3 sm:px-6">{children}</div>;
}

/** Shown where the button was: a user who is editing looks there, not at the top of the page. */
function Late({ desk, onDiscard }: { desk: Desk; onDiscard: () => void }) {
  const me = useMe().data?.name;
  const what = desk.late ? "Your changes were not sent." : "What you wrote was not sent.";
  const discard = () => {
    onDiscard();
    desk.ask(undefined);
    desk.dropDraft();
  };
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 rounded-md border bg-warn-bg p-3 text-warn-text">
      <p className="min-w-48 flex-1">
        <strong className="font-semibold">
          <Visible text={outcomeText(desk.approval, me)} />.
        </strong>{" "}
        {what}
      </p>
      <Button size="small" onClick={discard}>
        Discard
      </Button>
    </div>
  );
}

function Note({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  return (
    <Textarea
      autoFocus={desk.note === ""}
      dir="auto"
      aria-label="A note with your decision"
      placeholder="A note with your decision, kept with it"
      rows={2}
      className="max-h-32"
      value={desk.note}
      onChange={(e) => desk.setNote(e.target.value)}
      onKeyDown={(e) => {
        if (e.key === "Escape" && desk.note === "") onClose();
        sendOnCtrlEnter(e, desk);
      }}
    />
  );
}

/** Nothing to decide: the reason, and where to go next. */
function Closed({ desk, after }: { desk: Desk; after: ReactNode }) {
  const me = useMe().data;
  if (!desk.pending) return after ? <Bar>{after}</Bar> : null;
  return (
    <Bar>
      <p className="text-muted max-sm:w-full sm:flex-1">
        <Visible text={whyNot(desk.approval, me)} />
      </p>
      {desk.done && after}
    </Bar>
  );
}

function Open({ desk, noting, onNote }: { desk: Desk; noting: boolean; onNote: () => void }) {
  const me = useMe().data;
  return (
    <Bar>
      <Secondary desk={desk} noting={noting} onNote={onNote} />
      {!desk.can("approve") && !desk.editing && (
        <p className="text-muted empty:hidden max-sm:order-first max-sm:w-full">{ownVote(desk.approval, me)}</p>
      )}
      {desk.can("reject") && !desk.editing && (
        <Button
          look="danger-outlined"
          className="max-sm:flex-1"
          disabled={desk.sending}
          onClick={() => desk.ask("reject")}
        >
          Reject <Kbd keys="r" />
        </Button>
      )}
      {desk.editing && (
        <Button className="max-sm:flex-1" disabled={desk.sending} onClick={() => desk.stopEditing(true)}>
          Discard
        </Button>
      )}
      <Mend desk={desk} />
      {desk.main && (
        <Button
          look="filled"
          className="max-w-full min-w-0 shrink max-sm:flex-[2]"
          disabled={!desk.ready}
          loading={desk.sending}
          onClick={desk.decideMain}
        >
          <span className="truncate">
            <Visible text={buttonText(desk)} />
          </span>
          <Kbd keys={desk.editing || desk.main === "submit" ? "mod+enter" : "a"} />
        </Button>
      )}
    </Bar>
  );
}

function Bar({ children }: { children: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-300 flex-wrap items-center justify-end gap-2 px-4 py-3 sm:px-6">{children}</div>
  );
}

/** Why the button is disabled, since the fields may be out of sight; leads to the first one. */
function Mend({ desk }: { desk: Desk }) {
  const n = desk.faults.size;
  if (desk.blob) {
    const show = () => {
      document.querySelector("#proposal")?.scrollIntoView?.({ block: "start" });
      desk.whole.load();
    };
    return (
      <Button
        look="ghost"
        className="text-warn-text max-sm:order-first max-sm:w-full"
        loading={desk.whole.loading}
        onClick={show}
      >
        Look at all {format.bytes(desk.blob.size)} first
      </Button>
    );
  }
  if (desk.exhibits.error || desk.exhibits.waiting > 0) {
    return (
      <Button
        look="ghost"
        className="text-warn-text max-sm:order-first max-sm:w-full"
        onClick={() => document.querySelector("#made [data-unseen], #made")?.scrollIntoView?.({ block: "start" })}
      >
        {desk.exhibits.error
          ? "The files could not be loaded"
          : `Look at ${format.plural(desk.exhibits.waiting, "file")} first`}
      </Button>
    );
  }
  if (desk.moved || desk.stale) {
    return (
      <Button
        look="ghost"
        className="text-warn-text max-sm:order-first max-sm:w-full"
        onClick={() => document.querySelector("#since-then")?.scrollIntoView?.({ block: "start" })}
      >
        It changed: see what
      </Button>
    );
  }
  if (n === 0 || (desk.main !== "modify" && desk.main !== "submit")) return null;
  const go = () => {
    const field = document.querySelector<HTMLElement>(
      '#proposal [aria-invalid="true"], #proposal [data-missing] :is(input, textarea, button)',
    );
    field?.scrollIntoView?.({ block: "center" });
    field?.focus();
  };
  const begun = desk.changes.length > 0;
  return (
    <Button look="ghost" className={cn("max-sm:order-first max-sm:w-full", begun && "text-bad-text")} onClick={go}>
      {format.plural(n, "field")} to {begun ? "fix" : "fill in"}
    </Button>
  );
}

/** Less frequent actions: edit, note, revision, delegate, escalate. */
function Secondary({ desk, noting, onNote }: { desk: Desk; noting: boolean; onNote: () => void }) {
  const revise = useRef<HTMLButtonElement>(null);
  return (
    <div className="flex min-w-0 items-center gap-1 sm:mr-auto sm:gap-2">
      {desk.can("modify") && !desk.editing && (
        <Button disabled={desk.sending} onClick={desk.startEditing} className="max-sm:px-2.5">
          <PencilLine aria-hidden />
          Edit <Kbd keys="e" />
        </Button>
      )}
      {desk.can("request_revision") && !desk.editing && (
        <Button
          ref={revise}
          className="@max-3xl:hidden"
          disabled={desk.sending}
          onClick={() => desk.ask("request_revision")}
        >
          <Undo2 aria-hidden /> {acts.request_revision.label}
        </Button>
      )}
      <OnAsk trigger={<MoreButton />}>
        <MoreMenu desk={desk} noting={noting} onNote={onNote} revise={revise} />
      </OnAsk>
    </div>
  );
}

function sendOnCtrlEnter(event: KeyboardEvent, desk: Desk) {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented && !desk.asking) {
    event.preventDefault();
    desk.decideMain();
  }
}

const group = "Deciding";

function useKeys(desk: Desk, enabled: boolean, onComment?: () => void) {
  const { approval } = desk;
  const choices = desk.can("choose") ? approval.options.slice(0, 9) : [];
  const { exhibits, editing } = desk;
  const face = [approval.version, desk.main, editing, desk.moved !== undefined, exhibits.face];
  useShortcuts(
    [
      {
        keys: "a",
        label: mainLabel(desk),
        group,
        decides: true,
        // A key is held for a moment before it counts: pressed before everything was drawn, it must not decide right
        // after.
        enabled: enabled && desk.main !== undefined && desk.seen && !desk.blob,
        run: desk.decideMain,
      },
      {
        group,
        keys: "e",
        label: "Change it first",
        enabled: enabled && desk.can("modify"),
        run: desk.startEditing,
      },
      { group, keys: "r", label: "Reject", enabled: enabled && desk.can("reject"), run: () => desk.ask("reject") },
      {
        keys: "c",
        label: "Comment",
        group,
        enabled: enabled && onComment !== undefined,
        run: () => onComment?.(),
      },
      {
        keys: "escape",
        label: "Leave the form, keep the draft",
        group,
        enabled: enabled && desk.editing,
        run: () => desk.stopEditing(),
      },
      {
        keys: "mod+enter",
        label: "Send",
        group,
        enabled:
          enabled && desk.asking === undefined && (desk.editing || desk.main === "submit" || desk.main === "choose"),
        whileTyping: true,
        run: desk.decideMain,
      },
      ...choices.map((one, i) => ({
        group,
        keys: `${i + 1}`,
        label: spelled(one.label || one.value),
        enabled,
        run: () => desk.choose(one.value),
      })),
    ],
    // Unknown deliverables have not been seen; learning which ones there are is not a change of content.
    enabled && exhibits.known && !desk.blob ? { thing: approval.id, face: face.join() } : undefined,
  );
}

function useUndoKey(desk: Desk, enabled: boolean) {
  useShortcuts([{ group, keys: "z", label: "Undo", enabled: enabled && desk.held !== undefined, run: desk.undo }]);
}

function mainLabel(desk: Desk): string {
  return desk.main === "choose" ? "Use the selected option" : buttonText(desk);
}
