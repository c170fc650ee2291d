import { type FormEvent, memo, type Ref, useState } from "react";
import { useComment } from "../api/approvals";
import { useMay, useMe } from "../api/documents";
import type { Approval, RecordedDecision } from "../api/types";
import { treeOf } from "../json";
import { Avatar } from "../ui/Avatar";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { ErrorNote } from "../ui/ErrorNote";
import { Kbd } from "../ui/Kbd";
import { Textarea } from "../ui/Textarea";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { act, via } from "../words";
import { LongText } from "./LongText";
import { Values } from "./Values";
import { decisionText, optionLabel } from "./words";

type Entry = { at: string; by: string } & ({ decision: RecordedDecision } | { text: string });

/** Whether the user may comment: by permission, or as a named approver. */
export function useMayComment(a: Approval): boolean {
  const may = useMay();
  const me = useMe().data?.name;
  if (a.status !== "pending") return false;
  const named = [...a.assignees, ...(a.escalated_to ?? []), ...a.decisions.map((d) => d.to)];
  return may("comment") || a.for !== undefined || (me !== undefined && named.includes(me));
}

interface Props {
  approval: Approval;
  field: Ref<HTMLTextAreaElement>;
}

/** Decisions and comments, oldest first, and a place to comment. */
export const Thread = memo(function Thread({ approval: a, field }: Props) {
  const comments = useMayComment(a);
  const entries: Entry[] = [
    ...a.decisions.map((decision) => ({ at: decision.at, by: decision.by, decision })),
    ...a.comments.map(({ at, by, text }) => ({ at, by, text })),
  ].sort((x, y) => Date.parse(x.at) - Date.parse(y.at));
  // Text being written stays in place, even if the approval is settled in the meantime.
  const [begun, setBegun] = useState(false);
  const open = comments || begun;
  if (entries.length === 0 && !open) return null;
  return (
    <Card title="Discussion">
      {entries.length === 0 && <p className="mb-3 text-muted">No comments yet.</p>}
      <ol className="space-y-3">
        {entries.map((entry, i) => (
          <li key={i} className="flex gap-2.5">
            <Avatar name={entry.by} decorative className="mt-0.5" />
            <div className="min-w-0 flex-1">
              {"decision" in entry ? (
                <Answer decision={entry.decision} approval={a} />
              ) : (
                <>
                  <p className="text-small text-muted">
                    <span className="font-medium text-text">
                      <Visible text={entry.by} />
                    </span>{" "}
                    · <Time at={entry.at} />
                  </p>
                  <LongText text={entry.text} />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
      {open && <Comment id={a.id} field={field} spaced={entries.length > 0} late={!comments} onText={setBegun} />}
    </Card>
  );
});

function Answer({ decision: d, approval }: { decision: RecordedDecision; approval: Approval }) {
  const Icon = act[d.act].icon;
  return (
    <>
      <p className="text-small">
        <Icon aria-hidden className="mr-1 inline size-3.5 align-[-2px] text-muted" />
        <Visible text={d.option ? `${d.by} chose “${optionLabel(approval, d.option)}”${via(d)}` : decisionText(d)} />
        <span className="text-muted">
          {" "}
          · <Time at={d.at} />
        </span>
      </p>
      {d.comment && <LongText text={d.comment} className="mt-0.5" />}
      {d.data && (
        <div className="@container mt-1 rounded-sm bg-sunken p-2.5">
          <Values tree={treeOf(d.data)} />
        </div>
      )}
    </>
  );
}

interface CommentProps {
  id: string;
  field: Ref<HTMLTextAreaElement>;
  spaced: boolean;
  /** Settled in the meantime: nothing can be sent. */
  late: boolean;
  onText: (some: boolean) => void;
}

function Comment({ id, field, spaced, late, onText }: CommentProps) {
  const [text, keep] = useState("");
  const setText = (next: string) => {
    keep(next);
    onText(next !== "");
  };
  const comment = useComment(id);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (!text.trim() || comment.isPending || late) return;
    comment.mutate({ text: text.trim() }, { onSuccess: () => setText("") });
  };
  return (
    <form onSubmit={send} className={spaced ? "mt-3 border-t pt-3" : undefined}>
      <Textarea
        ref={field}
        aria-label="Comment"
        placeholder="Comment for reviewers. Agents can't see it."
        rows={2}
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
            e.preventDefault();
            e.stopPropagation();
            send();
          }
          if (e.key === "Escape") e.currentTarget.blur();
        }}
      />
      {comment.error && (
        <div className="mt-2">
          <ErrorNote error={comment.error} />
        </div>
      )}
      {late ? (
        <div className="mt-2 flex items-center justify-end gap-2">
          <p role="status" className="min-w-0 flex-1 text-small text-warn-text">
            It has been settled. Your comment was not sent.
          </p>
          <Button size="small" onClick={() => setText("")}>
            Discard
          </Button>
        </div>
      ) : (
        <div className="mt-2 flex items-center justify-end gap-2">
          {text && <Kbd keys="mod+enter" />}
          <Button type="submit" size="small" disabled={!text.trim()} loading={comment.isPending}>
            Comment
          </Button>
        </div>
      )}
    </form>
  );
}
