import { type ReactNode, useEffect, useRef, useState } from "react";
import { useComment, useDecideMany } from "../api/approvals";
import type { Approval, Batch } from "../api/types";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ErrorNote } from "../ui/ErrorNote";
import { Field } from "../ui/Field";
import { Kbd } from "../ui/Kbd";
import { Progress } from "../ui/Progress";
import { Textarea } from "../ui/Textarea";
import { act as acts, format, onReject, risk } from "../words";
import { type Fate, fatesOf, subjectOf } from "./batch";

// Loaded when one of them is opened.

interface WordsProps {
  title: string;
  description: ReactNode;
  label: string;
  hint?: string;
  missing: string;
  button: string;
  look: "danger" | "filled";
  busy?: boolean;
  error?: Error | null;
  onSend: (text: string) => void;
  onClose: () => void;
}

/** Asks for some words and sends them. */
function WordsDialog({
  title,
  description,
  label,
  hint,
  missing,
  button,
  look,
  busy,
  error,
  onSend,
  onClose,
}: WordsProps) {
  const [text, setText] = useState("");
  const [tried, setTried] = useState(false);
  const send = () => {
    setTried(true);
    if (text.trim() !== "") onSend(text.trim());
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look={look} loading={busy} onClick={send}>
            {button} <Kbd keys="mod+enter" />
          </Button>
        </>
      }
    >
      {error && <ErrorNote error={error} />}
      <Field label={label} hint={hint} error={tried && text.trim() === "" ? missing : undefined}>
        <Textarea
          autoFocus
          dir="auto"
          value={text}
          onChange={(e) => setText(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              send();
            }
          }}
        />
      </Field>
    </Dialog>
  );
}

export function RejectDialog({
  approval,
  onReject: send,
  onClose,
}: {
  approval: Approval;
  onReject: (why: string) => void;
  onClose: () => void;
}) {
  const then =
    approval.if_denied || (approval.on_reject ? `If you reject, ${onReject[approval.on_reject].sentence}.` : "");
  return (
    <WordsDialog
      title="Reject"
      description={`“${approval.title}”. ${then}`}
      label="Why"
      hint="Kept with the decision; where the agent tries again, it reads this."
      missing="Say why: a rejection without a reason helps nobody."
      button="Reject"
      look="danger"
      onSend={send}
      onClose={onClose}
    />
  );
}

export function CommentDialog({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const comment = useComment(approval.id);
  return (
    <WordsDialog
      title="Comment"
      description={`On “${approval.title}”. It decides nothing, and no agent reads it.`}
      label="Comment"
      missing="Write something first."
      button="Comment"
      look="filled"
      busy={comment.isPending}
      error={comment.error}
      onSend={(text) => comment.mutate({ text }, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}

/** So many go into one request: enough to be quick, few enough to show how far it is. */
export const chunk = 50;
const slowMs = 1000;

interface BatchProps {
  act: "approve" | "reject";
  chosen: ReadonlyMap<string, Approval>;
  /** Told once, with what became of each. */
  onDone: (fates: Fate[]) => void;
  onClose: () => void;
}

/** Decides several: asks, sends, and says what became of each. */
export function BatchDialog({ act, chosen, onDone, onClose }: BatchProps) {
  const [all] = useState(() => [...chosen.values()]); // what was chosen when it was opened
  const [comment, setComment] = useState("");
  const [tried, setTried] = useState(false);
  const sending = useSending(act, all, onDone);
  const [first] = all;
  if (!first) return null;
  const count = format.count(all.length);
  if (sending.fates) {
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
        <Summary fates={sending.fates} done={acts[act].done} />
      </Dialog>
    );
  }
  const start = () => {
    setTried(true);
    if (act === "approve" || comment.trim() !== "") void sending.start(comment.trim());
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && !sending.busy && onClose()}
      title={`${acts[act].label} ${count}`}
      description={[subjectOf(first).label, first.risk.level && risk[first.risk.level].label]
        .filter(Boolean)
        .join(", ")}
      footer={
        <>
          <Button disabled={sending.busy} onClick={onClose}>
            Cancel
          </Button>
          <Button look={act === "approve" ? "filled" : "danger"} loading={sending.busy} onClick={start}>
            {acts[act].label} {count}
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
        <>
          <p className="mb-2 text-muted">This is sent at once and cannot be taken back.</p>
          <ul
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            aria-label="What is decided"
            className="mb-3 max-h-40 overflow-y-auto rounded-sm border text-small"
          >
            {all.map((a) => (
              <li key={a.id} className="border-b px-3 py-1.5 last:border-b-0">
                {a.title}
              </li>
            ))}
          </ul>
          <Field
            label={act === "reject" ? "Why" : "Comment (if you like)"}
            hint="The same for all of them."
            error={
              tried && act === "reject" && comment.trim() === "" ? "Say why: a rejection needs a reason." : undefined
            }
          >
            <Textarea dir="auto" disabled={sending.busy} value={comment} onChange={(e) => setComment(e.target.value)} />
          </Field>
        </>
      )}
    </Dialog>
  );
}

function useSending(act: "approve" | "reject", all: Approval[], onDone: (fates: Fate[]) => void) {
  const { mutateAsync } = useDecideMany();
  const [busy, setBusy] = useState(false);
  const [slow, setSlow] = useState(false);
  const [sent, setSent] = useState(0);
  const [fates, setFates] = useState<Fate[]>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const start = async (comment: string) => {
    setBusy(true);
    timer.current = setTimeout(() => setSlow(true), slowMs);
    const known = new Map(all.map((a) => [a.id, a]));
    const out: Fate[] = [];
    let trouble: string | undefined;
    for (let i = 0; i < all.length; i += chunk) {
      const part = all.slice(i, i + chunk);
      if (trouble === undefined) {
        const batch: Batch = {
          ids: part.map((a) => a.id),
          act,
          versions: Object.fromEntries(part.map((a) => [a.id, a.version])),
          ...(comment ? { comment } : {}),
        };
        try {
          out.push(...fatesOf(known, await mutateAsync(batch)));
          setSent(i + part.length);
          continue;
        } catch (error) {
          trouble = error instanceof Error ? error.message : String(error);
          out.push(
            ...part.map(
              (a): Fate => ({
                id: a.id,
                title: a.title,
                kind: "failed",
                reason: `${trouble} It may or may not have been taken; the list will tell.`,
              }),
            ),
          );
          continue;
        }
      }
      out.push(
        ...part.map((a): Fate => ({ id: a.id, title: a.title, kind: "failed", reason: `Not sent: ${trouble}` })),
      );
    }
    clearTimeout(timer.current);
    setBusy(false);
    setFates(out);
    onDone(out);
  };
  return { busy, slow, sent, fates, start };
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
      <Reasons title="Skipped: somebody else was there first" fates={skipped} />
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
