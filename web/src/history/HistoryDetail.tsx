import { useMemo } from "react";
import type { Approval } from "../api/types";
import { ChangeList } from "../decide/ChangeList";
import { diffOf } from "../decide/diff";
import { planSchema } from "../decide/plan/planShown";
import { treeOf } from "../json";
import { Link } from "../router";
import { Avatar, Button, JsonView, Time } from "../ui";
import { didOf } from "./say";

/** The path to the decision: votes, edits and comments with their times. */
export function HistoryDetail({ approval }: { approval: Approval }) {
  const talk = useMemo(() => talkOf(approval), [approval]);
  const { outcome, rule } = approval;
  return (
    <div className="space-y-4 border-t bg-sunken px-4 py-4 sm:pl-10">
      {approval.status === "auto_approved" && rule && (
        <p>
          The rule <strong className="font-medium">{rule.name}</strong> approved it; no person was asked.
          {rule.reason && <span className="text-muted"> {rule.reason}</span>}
        </p>
      )}
      {approval.status === "timed_out" && <p>No decision before the deadline.</p>}
      {approval.status === "cancelled" && <p>The run ended before a decision was made.</p>}
      {talk.length > 0 && (
        <ol className="space-y-2">
          {talk.map((entry, i) => (
            <li key={i} className="flex gap-2.5">
              <Avatar name={entry.by} decorative />
              <div className="min-w-0 flex-1">
                <p>
                  <span className="font-medium">{entry.by}</span> {entry.did}
                  {entry.onBehalfOf && <span className="text-muted"> on behalf of {entry.onBehalfOf}</span>}{" "}
                  <Time at={entry.at} className="text-small text-muted" />
                </p>
                {entry.text && (
                  <p dir="auto" className="break-words whitespace-pre-wrap text-muted">
                    {entry.text}
                  </p>
                )}
              </div>
            </li>
          ))}
        </ol>
      )}
      <Changes approval={approval} />
      {outcome?.data && (
        <section>
          <h3 className="mb-1 text-control font-semibold">What was submitted</h3>
          <JsonView value={outcome.data} />
        </section>
      )}
      <div className="flex flex-wrap gap-2">
        <Button asChild size="small">
          <Link to="/approvals/$id" params={{ id: approval.id }}>
            Open the approval
          </Link>
        </Button>
        <Button asChild size="small">
          <Link to="/runs/$id" params={{ id: approval.run }}>
            Open the run
          </Link>
        </Button>
      </div>
    </div>
  );
}

/** The difference between the original proposal and the approved one. */
function Changes({ approval }: { approval: Approval }) {
  const after = approval.outcome?.proposed ?? approval.proposed;
  const before = approval.original ?? (approval.outcome?.proposed ? approval.proposed : undefined);
  const changes = useMemo(() => (before ? diffOf(treeOf(before), treeOf(after)) : []), [before, after]);
  if (changes.length === 0) return null;
  return (
    <section>
      <h3 className="mb-1 text-control font-semibold">What was changed</h3>
      <div className="rounded-sm bg-surface">
        <ChangeList changes={changes} schema={approval.reason === "loop" ? planSchema : undefined} />
      </div>
    </section>
  );
}

interface Entry {
  by: string;
  did: string;
  at: string;
  text: string;
  onBehalfOf?: string;
}

/** Decisions and comments, oldest first. */
function talkOf(approval: Approval): Entry[] {
  const decisions = approval.decisions.map(
    (d): Entry => ({
      by: d.by,
      did: didOf(approval, d),
      at: d.at,
      text: d.comment ?? "",
      onBehalfOf: d.on_behalf_of,
    }),
  );
  const comments = approval.comments.map((c): Entry => ({ by: c.by, did: "commented", at: c.at, text: c.text }));
  return [...decisions, ...comments].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
