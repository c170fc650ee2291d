import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import type { Act, Approval } from "../api/types";
import { textOf } from "../json";
import { cn } from "../lib/cn";
import { DataNote } from "../ui/DataNote";
import { Skeleton } from "../ui/Skeleton";
import { StatusBadge } from "../ui/StatusBadge";
import { TestBadge } from "../ui/TestBadge";
import { Visible } from "../ui/Visible";
import { approvalKind } from "../words";
import { Changed } from "./Changed";
import { DecisionBar } from "./DecisionBar";
import { Drafts } from "./Drafts";
import { Asker, Facts, Glance } from "./Facts";
import { Gist } from "./Gist";
import { Happens } from "./Happens";
import { InputForm } from "./InputForm";
import { Inspect } from "./Inspect";
import { LongText } from "./LongText";
import { Notices, UnseenNote } from "./Notices";
import { Outcome } from "./Outcome";
import { Proposal } from "./Proposal";
import { SoFar } from "./SoFar";
import { Summary } from "./Summary";
import { Supporting } from "./Supporting";
import { Thread } from "./Thread";
import { useDesk } from "./useDesk";
import { useGrounds } from "./useGrounds";
import { Why } from "./Why";

const Options = lazy(() => import("./Options"));
const Told = lazy(() => import("./Told"));

const shortMax = 800;

export interface ApprovalDetailProps {
  approval: Approval;
  /** One column with a smaller header, for a pane beside a list. */
  compact?: boolean;
  /** Called after this user's answer went through. */
  onDecided?: (after: Approval, act: Act) => void;
  /** Called whenever it changes whether everything under decision is visible. */
  onReady?: (ready: boolean) => void;
  /** Whether A, E, R, C and 1–9 work here. On by default. */
  shortcuts?: boolean;
  /** Whether the form is open; setting it opens the form. */
  edit?: boolean;
  /** Shown before the header: a back link. */
  back?: ReactNode;
  /** Shown in the bar once there is nothing left to decide, such as a link to the next approval. */
  after?: ReactNode;
}

/** Everything about one approval, and the answers to it. Fills its container; the bar stays at the bottom. */
export function ApprovalDetail(props: ApprovalDetailProps) {
  // Drafts, dialogs and the seen state belong to one approval.
  return <Detail key={props.approval.id} {...props} />;
}

function Detail({ approval, compact, onDecided, onReady, shortcuts, edit, back, after }: ApprovalDetailProps) {
  const desk = useDesk(approval, { onDecided });
  const told = useRef(onReady);
  told.current = onReady;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version has to be seen again
  useEffect(() => {
    told.current?.(desk.ready);
    return () => told.current?.(false);
  }, [desk.ready, approval.version]);
  const grounds = useGrounds(desk);
  const comment = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLElement>(null);
  const { editing } = desk;
  const whole = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On its own page it takes the focus, unless something on the page already has it.
    if (!compact && document.activeElement === document.body) whole.current?.focus({ preventScroll: true });
  }, [compact]);
  // When a button disappears after its work is done, the focus moves here and is not lost.
  const within = useRef(false);
  useEffect(() => {
    if (within.current && document.activeElement === document.body) whole.current?.focus({ preventScroll: true });
  });
  const begin = useRef(() => {});
  begin.current = () => desk.can("modify") && desk.startEditing();
  useEffect(() => {
    if (edit) begin.current();
  }, [edit]);
  // An earlier draft that appears beside a list leaves the focus to the list.
  const quiet = useRef(compact && editing);
  useEffect(() => {
    const began = !quiet.current;
    quiet.current = false;
    if (!editing || !began) return;
    const form = scroller.current?.querySelector<HTMLElement>("#proposal");
    form?.scrollIntoView?.({ block: "nearest" });
    form?.querySelector<HTMLElement>("input,textarea")?.focus({ preventScroll: true });
  }, [editing]);
  const Title = compact ? "h2" : "h1";
  const { submits } = desk;
  // A decision without a proposal says so. Choices and forms show their question, and a payload deleted later was not
  // empty.
  const asksOnly = approval.kind === "choice" || approval.kind === "input";
  const proposes = !desk.empty || (!asksOnly && (desk.pending || approval.proposed !== null));
  const replans = approval.action.type === "replan"; // the drawn plan says more than the steps
  const description = approval.description.trim();
  // Below a short proposal there is room for the rest; a long one fills its column.
  const short = !approval.drafts && textOf(approval.proposed).length + textOf(approval.show).length < shortMax;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only tracks where the focus is
    <div
      ref={whole}
      data-decides={approval.id}
      tabIndex={-1}
      onFocus={() => {
        within.current = true;
      }}
      onBlur={(event) => {
        // When the focused element is removed, or blurs to nothing, the focus still counts as being here.
        within.current = event.relatedTarget === null || event.currentTarget.contains(event.relatedTarget);
      }}
      className="flex h-full min-h-0 min-w-0 flex-col outline-none"
    >
      <div ref={scroller} className="@container relative min-h-0 min-w-0 flex-1 overflow-x-hidden overflow-y-auto">
        <Summary approval={approval} facts={grounds.facts} head={head} within={scroller} />
        <div className={cn("mx-auto min-w-0 space-y-4 p-4", !compact && "max-w-300 sm:px-6")}>
          <header ref={head} className="min-w-0">
            {back}
            <Asker approval={approval} />
            <Title
              className={cn("mt-0.5 font-semibold tracking-tight break-words", compact ? "text-lead" : "text-heading")}
            >
              <Visible text={approval.title} />
            </Title>
            {(grounds.subject || approval.test_mode) && (
              <p className="mt-1 flex flex-wrap items-center gap-2">
                <TestBadge test={approval.test_mode} />
                <Visible text={grounds.subject} />
              </p>
            )}
            <Gist facts={grounds.facts} />
            <div className={cn(!compact && "@4xl:hidden")}>
              <Glance approval={approval} />
            </div>
            {description && description !== approval.title && <Description text={description} />}
            {approval.kind !== "approval" && desk.pending && (
              <p className="mt-1 text-small text-muted">{approvalKind[approval.kind].sentence}</p>
            )}
            {compact && !desk.pending && <StatusBadge approval={approval.status} className="mt-1" />}
          </header>
          <Outcome approval={approval} />
          <Changed approval={approval} />
          <Drafts desk={desk} />
          <Notices desk={desk} />
          <UnseenNote desk={desk} />
          <DataNote masked={approval.masked} />
          <div
            className={cn(
              "grid min-w-0 gap-4",
              !compact && "@4xl:grid-cols-[minmax(0,7fr)_minmax(0,5fr)] @4xl:grid-rows-[auto_1fr]",
            )}
          >
            <div className={cn("@container min-w-0 space-y-4", !compact && !short && "@4xl:row-span-2")}>
              {approval.options.length > 0 && (
                <Suspense fallback={<Skeleton className="h-40 rounded-md" />}>
                  <Options desk={desk} />
                </Suspense>
              )}
              {submits && <InputForm desk={desk} />}
              {replans && <Supporting desk={desk} />}
              {proposes && <Proposal desk={desk} evidence={grounds.evidence} />}
              <Inspect desk={desk} />
              {!replans && <Supporting desk={desk} />}
            </div>
            {/* Cards that depend on the approval alone are memoized: a draft or a list of files draws the others. */}
            <div className={cn("@container min-w-0 space-y-4", !compact && short && "@4xl:row-span-2")}>
              <div className="rounded-md border bg-surface p-4">
                <Facts approval={approval} />
              </div>
              <Happens desk={desk} />
              <Why approval={approval} />
            </div>
            <div className={cn("@container min-w-0 space-y-4", !compact && short && "@4xl:col-start-1")}>
              <SoFar approval={approval} />
              <Thread approval={approval} field={comment} />
              {!compact && (
                <Suspense>
                  <Told approval={approval} />
                </Suspense>
              )}
            </div>
          </div>
        </div>
      </div>
      <DecisionBar desk={desk} shortcuts={shortcuts} onComment={() => comment.current?.focus()} after={after} />
    </div>
  );
}

/** The workflow's own description. Where space is short or the text is long, the beginning; the rest is folded. */
function Description({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const [first = "", rest = ""] = text.split(/\n\s*\n(.*)/s);
  return (
    <div className="mt-2 max-w-220 text-muted">
      <LongText text={all ? text : first} className={all ? undefined : "max-sm:line-clamp-2"} />
      {(rest || first.length > 80) && (
        <button
          type="button"
          aria-expanded={all}
          className={cn("text-small text-accent-text hover:underline pointer-coarse:min-h-11", !rest && "sm:hidden")}
          onClick={() => setAll(!all)}
        >
          {all ? "Less" : "More"}
        </button>
      )}
    </div>
  );
}
