import { History } from "lucide-react";
import { useMemo } from "react";
import { useEarlierDrafts } from "../api/approvals";
import type { Approval } from "../api/types";
import { treeOf } from "../json";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { blobOf } from "./blob";
import { ChangeList } from "./ChangeList";
import { diffOf } from "./diff";
import { LongText } from "./LongText";
import type { Desk } from "./useDesk";

/** An earlier proposal that was sent back: by whom, with which comment, and what has changed since. */
export function Drafts({ desk }: { desk: Desk }) {
  const drafts = useEarlierDrafts(desk.approval);
  const [last, ...older] = drafts;
  if (!last) return null;
  const number = drafts.length + 1;
  return (
    <section aria-label={`Revision ${number}`} className="rounded-md border bg-surface p-4">
      <h2 className="mb-2 flex items-center gap-2 font-semibold">
        <History aria-hidden className="size-4 text-muted" /> Revision {number}
      </h2>
      <SentBack draft={last} />
      <Since draft={last} desk={desk} />
      {older.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer text-small text-accent-text">Earlier drafts ({older.length})</summary>
          <ol className="mt-2 space-y-3">
            {older.map((draft) => (
              <li key={draft.id}>
                <SentBack draft={draft} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  );
}

/** "maria sent back the last draft 4 min ago: “make it warmer”" */
function SentBack({ draft }: { draft: Approval }) {
  const { outcome } = draft;
  return (
    <div className="min-w-0">
      <p className="text-small text-muted">
        <span className="font-medium text-text">
          <Visible text={outcome?.by || "Someone"} />
        </span>{" "}
        sent a draft back
        {outcome && (
          <>
            {" · "}
            <Time at={outcome.at} />
          </>
        )}
      </p>
      {outcome?.comment && <LongText text={`“${outcome.comment}”`} className="mt-0.5" />}
    </div>
  );
}

function Since({ draft, desk }: { draft: Approval; desk: Desk }) {
  const { proposed, blob, schema } = desk;
  const changes = useMemo(
    () => (blob || blobOf(draft.proposed) ? undefined : diffOf(treeOf(draft.proposed), treeOf(proposed))),
    [draft, proposed, blob],
  );
  if (!changes) return <p className="mt-2 text-small text-muted">Too large to compare here.</p>;
  return (
    <div className="mt-2">
      <p className="mb-1 text-small text-muted">
        {changes.length === 0 ? "The new draft is identical to that one." : "What is different since:"}
      </p>
      {changes.length > 0 && <ChangeList changes={changes} schema={desk.submits ? undefined : schema} />}
    </div>
  );
}
