import { type KeyboardEvent, useState } from "react";
import { useMe } from "../api/documents";
import type { Approval } from "../api/types";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { Kbd } from "../ui/Kbd";
import { Progress } from "../ui/Progress";
import { Textarea } from "../ui/Textarea";
import { act as acts, format, risk } from "../words";
import { type Fate, totalsOf, whyNotAct } from "./batch";
import { forgetKept, useKept } from "./kept";
import { settledText } from "./say";
import { subjectOf } from "./subject";
import { Title } from "./Title";
import { useSending } from "./useSending";

// Loaded when it is opened.

interface BatchProps {
  act: "approve" | "reject";
  chosen: ReadonlyMap<string, Approval>;
  /** Selected approvals that have been settled in the meantime, in their current state. */
  left: ReadonlyMap<string, Approval>;
  /** Called once, with the result of each. */
  onDone: (fates: Fate[]) => void;
  onClose: () => void;
}

/** Decides several approvals: confirms, sends, and reports each result. */
export default function BatchDialog({ act, chosen, left, onDone, onClose }: BatchProps) {
  const [opened] = useState(() => [...chosen.values()]); // as of opening the dialog
  const keep = `batch ${act} ${opened.map((a) => a.id).join()}`;
  const [comment, setComment] = useKept(keep);
  const [tried, setTried] = useState(false);
  const [begun, begin] = useState<Approval[]>(); // the approvals being sent
  const sending = useSending(act, onDone);
  const all = begun ?? opened.flatMap((a) => chosen.get(a.id) ?? []);
  const whyNot = begun ? "" : whyNotAct(all, act); // a run may have created a file since
  const count = format.count(all.length);
  const close = (open: boolean) => !open && !sending.busy && onClose();
  if (sending.fates) return <Told fates={sending.fates} done={acts[act].done} onClose={onClose} />;
  const lost = begun ? [] : opened.flatMap((a) => (chosen.has(a.id) ? [] : (left.get(a.id) ?? [])));
  const [first] = all;
  if (!first) {
    return (
      <Dialog
        open
        onOpenChange={close}
        title="Nothing is left to decide"
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <LeftOut settled={lost} />
      </Dialog>
    );
  }
  const start = () => {
    setTried(true);
    if (sending.busy || whyNot || (act === "reject" && comment.trim() === "")) return;
    begin(all);
    forgetKept(keep);
    void sending.start(all, comment.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
    event.preventDefault();
    start();
  };
  const subject = [subjectOf(first).label, first.risk.level && risk[first.risk.level].label];
  return (
    <Dialog
      open
      onOpenChange={close}
      title={`${acts[act].label} ${count}`}
      description={subject.filter(Boolean).join(", ")}
      footer={
        <>
          <Button disabled={sending.busy} onClick={onClose}>
            Cancel
          </Button>
          <Button
            look={act === "approve" ? "filled" : "danger"}
            loading={sending.busy}
            disabled={whyNot !== ""}
            onClick={start}
          >
            {acts[act].label} {count} <Kbd keys="mod+enter" />
          </Button>
        </>
      }
    >
      {sending.slow ? (
        <div role="status">
          <p className="mb-2">
            {format.count(sending.sent)} of {count} sent. Please stay on this page.
          </p>
          <Progress percent={(100 * sending.sent) / all.length} label="Sent" />
        </div>
      ) : (
        <div role="group" aria-label={acts[act].label} onKeyDown={onKeyDown}>
          <p className="mb-2 text-muted">This is sent at once and cannot be undone.</p>
          <LeftOut settled={lost} />
          <p role="status" className="text-small text-warn-text not-empty:mb-2">
            {whyNot && `${whyNot}.`}
          </p>
          <What approvals={all} focus={act === "approve" && byThumb()} />
          <Totals approvals={all} />
          <Field
            label={act === "reject" ? "Why" : "Comment (optional)"}
            hint="The same for all of them."
            error={tried && act === "reject" && comment.trim() === "" ? "Enter a reason." : undefined}
          >
            <Textarea
              // Keys meant for the list end up as text here, so none of them decides.
              autoFocus={act === "reject" || !byThumb()}
              dir="auto"
              disabled={sending.busy}
              value={comment}
              onChange={(e) => setComment(e.target.value)}
            />
          </Field>
        </div>
      )}
    </Dialog>
  );
}

/** On touch screens a focused field opens the keyboard, which would cover the approvals to review. */
const byThumb = () => matchMedia("(pointer: coarse)").matches;

const takeFocus = (element: HTMLElement | null) => element?.focus({ preventScroll: true });

/** The approvals under decision, distinguished as in the list. */
function What({ approvals, focus }: { approvals: Approval[]; focus: boolean }) {
  return (
    <ul
      ref={focus ? takeFocus : undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
      tabIndex={0}
      aria-label="What is decided"
      className="mb-3 max-h-40 overflow-y-auto rounded-sm border text-small"
    >
      {approvals.map((a) => (
        <li key={a.id} className="border-b px-3 py-1.5 last:border-b-0">
          <Title approval={a} />
        </li>
      ))}
    </ul>
  );
}

/** Their totals. */
function Totals({ approvals }: { approvals: Approval[] }) {
  const totals = totalsOf(approvals);
  if (totals.length === 0) return null;
  return (
    <dl className="mb-3 flex flex-wrap gap-x-6 gap-y-1">
      {totals.map(({ label, text }) => (
        <div key={label} className="flex gap-2">
          <dt className="text-muted">{label} in all</dt>
          <dd className="font-semibold">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Approvals settled by others after they were selected. */
function LeftOut({ settled }: { settled: Approval[] }) {
  const me = useMe().data?.name;
  const is = settled.length === 1 ? "One was" : `${format.count(settled.length)} were`;
  return (
    <div role="status" className="text-small text-warn-text not-empty:mb-2">
      {settled.length > 0 && (
        <>
          <p>{is} decided in the meantime and left out:</p>
          <ul className="max-h-24 overflow-y-auto">
            {settled.map((a) => (
              <li key={a.id}>
                {settledText(a, me)}: <Title approval={a} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The results. */
function Told({ fates, done, onClose }: { fates: Fate[]; done: string; onClose: () => void }) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="What became of them"
      footer={
        <Button look="filled" autoFocus onClick={onClose}>
          Done
        </Button>
      }
    >
      <Summary fates={fates} done={done} />
    </Dialog>
  );
}

function Summary({ fates, done }: { fates: Fate[]; done: string }) {
  const of = (kind: Fate["kind"]) => fates.filter((f) => f.kind === kind);
  const skipped = of("skipped");
  const failed = of("failed");
  return (
    <div>
      <p role="status" className="flex flex-wrap gap-x-4 gap-y-1">
        <strong className="font-medium text-ok-text">
          {format.count(of("done").length)} {done}
        </strong>
        <span className={skipped.length > 0 ? "text-warn-text" : "text-muted"}>
          {format.count(skipped.length)} skipped
        </span>
        <span className={failed.length > 0 ? "text-bad-text" : "text-muted"}>{format.count(failed.length)} failed</span>
      </p>
      <Reasons title="Failed" fates={failed} />
      <Reasons title="Skipped: already decided by someone else" fates={skipped} />
    </div>
  );
}

function Reasons({ title, fates }: { title: string; fates: Fate[] }) {
  if (fates.length === 0) return null;
  return (
    <section className="mt-4">
      <h3 className="mb-1 text-small font-medium text-muted">{title}</h3>
      <ul className="max-h-60 divide-y overflow-y-auto rounded-sm border">
        {fates.map((f) => (
          <li key={f.id} className="px-3 py-2">
            <Link
              to="/approvals/$id"
              params={{ id: f.id }}
              className="text-accent-text underline-offset-2 hover:underline"
            >
              {f.title}
            </Link>
            <p className="text-small text-muted">{f.reason}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
