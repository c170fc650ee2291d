import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Check, Hourglass, X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { approvalQuery } from "../api/approvals";
import type { OpenBelow } from "../api/below";
import { useMe } from "../api/documents";
import type { Approval } from "../api/types";
import { blobOf } from "../decide/blob";
import { Calm } from "../decide/Calm";
import { heldText } from "../decide/DecisionBar";
import { planSchema, planUnchanged, proposedOf } from "../decide/plan/planShown";
import { SendError } from "../decide/SendError";
import { schemaOf } from "../decide/schema";
import { type Desk, useDesk } from "../decide/useDesk";
import { Values } from "../decide/Values";
import { outcomeText } from "../decide/words";
import { askText, waitedFor } from "../graph";
import { treeOf } from "../json";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { ConfidenceBar, stated } from "../ui/ConfidenceBar";
import { Countdown } from "../ui/Countdown";
import { Field } from "../ui/Field";
import { RiskBadge } from "../ui/RiskBadge";
import { Textarea } from "../ui/Textarea";
import { Elapsed } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format } from "../words";

const shownAtOnce = 3;

/** Pending approvals of the run and its sub-runs, to be decided right here where possible. */
export function Pending({ approvals, below }: { approvals: Approval[]; below?: OpenBelow }) {
  const [all, setAll] = useState(false);
  const { kept, write } = useWritten();
  const own = approvals.filter((a) => a.status === "pending" || kept.has(a.id));
  const under = below?.items.map((item) => item.approval) ?? [];
  const known = new Set([...approvals, ...under].map(({ id }) => id));
  const open = [...own, ...under, ...[...kept.values()].filter(({ id }) => !known.has(id))];
  if (open.length === 0) return null;
  const shown = all ? open : open.slice(0, shownAtOnce);
  const more = (below?.total ?? 0) - (below?.items.length ?? 0);
  return (
    <section aria-label="Open decisions" className="divide-y rounded-md border border-warn-fill bg-surface">
      {shown.map((approval, i) => (
        <PendingCard
          key={approval.id}
          approval={approval}
          alone={open.length === 1}
          within={i >= own.length}
          onWrite={write}
        />
      ))}
      {(open.length > shownAtOnce || more > 0) && (
        <div className="flex flex-wrap items-center gap-x-3 p-2">
          {open.length > shownAtOnce && (
            <Button look="ghost" size="small" onClick={() => setAll(!all)}>
              {all ? "Show fewer" : `Show ${more > 0 ? "" : "all "}${format.count(open.length)} open decisions`}
            </Button>
          )}
          {more > 0 && (
            <Link to="/inbox" className="px-2 text-small text-accent-text hover:underline">
              {format.count(more)} more in other sub-runs, in the inbox
            </Link>
          )}
        </div>
      )}
    </section>
  );
}

/** Approvals with a reason being written: their cards stay, with the text, when others settle them. */
export function useWritten() {
  const [kept, setKept] = useState<ReadonlyMap<string, Approval>>(new Map());
  const write = useCallback((approval: Approval, words: boolean) => {
    setKept((now) => {
      if (now.has(approval.id) === words) return now;
      const next = new Map(now);
      if (words) next.set(approval.id, approval);
      else next.delete(approval.id);
      return next;
    });
  }, []);
  return { kept, write };
}

/**
 * Quick answers only where one look is enough: a plain yes or no, not critical, and small enough to be shown in full.
 */
export function quickly(approval: Approval): boolean {
  return (
    approval.kind === "approval" &&
    approval.risk.level !== "critical" &&
    approval.acts.includes("approve") &&
    blobOf(approval.proposed) === undefined &&
    (approval.proposed?.$json.length ?? 0) < 2000
  );
}

interface CardProps {
  approval: Approval;
  /** The only pending approval: its proposal is open. */
  alone: boolean;
  /** Belongs to a sub-run. */
  within?: boolean;
  /** Called when the user starts or stops writing a reason here. */
  onWrite: (approval: Approval, words: boolean) => void;
}

export function PendingCard({ approval: listed, alone, within, onWrite }: CardProps) {
  const [looking, setLooking] = useState(alone && short(listed));
  const [rejecting, setRejecting] = useState(false);
  const [why, setWhy] = useState("");
  // Once settled, it is no longer among the pending approvals of sub-runs.
  const latest = useQuery({ ...approvalQuery(listed.id), enabled: within && rejecting }).data;
  const approval = latest && latest.version > listed.version ? latest : listed;
  const desk = useDesk(approval);
  const quick = quickly(approval) && !begun(desk);
  const { held } = desk;
  const writes = rejecting && why.trim() !== "" && desk.done === undefined;
  useEffect(() => onWrite(approval, writes), [onWrite, approval, writes]);
  const late = !desk.pending && writes;
  const discard = () => {
    setRejecting(false);
    setWhy("");
  };
  return (
    <article className="@container p-4">
      {/* The proposal comes before the answers; where there is space, they are beside the question. */}
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Hourglass aria-hidden className="mt-0.5 size-4 shrink-0 text-warn-text" />
        <div className="min-w-48 flex-1">
          <h2 className="font-semibold break-words">
            <Link to="/approvals/$id" params={{ id: approval.id }} className="reach hover:underline">
              {askText(approval)}
            </Link>
          </h2>
          {approval.description && askText(approval) === approval.title && (
            <p className="break-words whitespace-pre-line text-muted">{approval.description}</p>
          )}
          <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted">
            <span>
              Waiting <Elapsed from={approval.requested_at} /> for {waitedFor(approval)}
            </span>
            {within && (
              <Link
                to="/runs/$id"
                params={{ id: approval.run }}
                className="reach inline-flex min-h-6 items-center text-accent-text hover:underline"
              >
                In the sub-run {format.title(approval.workflow)}
              </Link>
            )}
            {approval.quorum.needed > 1 && (
              <span>
                {approval.quorum.given} of {approval.quorum.needed} agreed
              </span>
            )}
            <RiskBadge level={approval.risk.level} reasons={approval.risk.reasons} />
            <ConfidenceBar confidence={stated(approval)} />
            <Countdown until={approval.deadline_at} then={approval.on_timeout} />
          </p>
        </div>
        {quick && looking && <What approval={approval} />}
        <div className="flex basis-full flex-wrap gap-2 @lg:order-1 @lg:basis-auto">
          {held && (
            <>
              <span role="status" className="self-center text-control">
                {heldText(held)}, sent in a moment
              </span>
              <Button onClick={desk.undo}>Undo</Button>
            </>
          )}
          {!held && quick && !looking && <Button onClick={() => setLooking(true)}>Look and decide</Button>}
          {!held && quick && looking && !rejecting && (
            // New content here ignores clicks for a moment, and so does a changed proposal.
            <Calm face={`${approval.version} ${desk.ready}`}>
              <div className="flex flex-wrap gap-2">
                {desk.can("reject") && (
                  <Button look="danger-outlined" disabled={desk.sending} onClick={() => setRejecting(true)}>
                    <X /> Reject
                  </Button>
                )}
                {desk.moved ? (
                  <Button onClick={desk.acknowledge}>It changed: I have seen it</Button>
                ) : (
                  <Button look="filled" disabled={!desk.ready} loading={desk.sending} onClick={desk.decideMain}>
                    <Check /> Approve
                  </Button>
                )}
              </div>
            </Calm>
          )}
          <Button asChild look={quick ? "ghost" : "filled"}>
            <Link to="/approvals/$id" params={{ id: approval.id }}>
              {quick ? "Open" : approval.acts.length > 0 ? "Open to decide" : "Open"} <ArrowRight />
            </Link>
          </Button>
        </div>
      </div>
      {late && <Late approval={approval} onDiscard={discard} />}
      {rejecting && !held && <Rejecting desk={desk} why={why} setWhy={setWhy} onClose={() => setRejecting(false)} />}
      {desk.error && (
        <div className="mt-3">
          <SendError desk={desk} />
        </div>
      )}
    </article>
  );
}

/** Shown above the text that the user was writing when it was settled. */
function Late({ approval, onDiscard }: { approval: Approval; onDiscard: () => void }) {
  const me = useMe().data?.name;
  return (
    <div
      role="alert"
      className="mt-3 flex flex-wrap items-center gap-2 rounded-md border bg-warn-bg p-3 text-warn-text"
    >
      <p className="min-w-48 flex-1">
        <strong className="font-semibold">
          <Visible text={outcomeText(approval, me)} />.
        </strong>{" "}
        Your reason was not sent.
      </p>
      <Button size="small" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}

/** Whether its own page is needed: the run has files, or the user has started to write or edit. */
function begun({ exhibits, editing, note }: Desk): boolean {
  return exhibits.items.length > 0 || exhibits.error !== null || editing || note !== "";
}

interface RejectingProps {
  desk: Desk;
  /** Kept by the card: it is restored if sending fails. */
  why: string;
  setWhy: (why: string) => void;
  onClose: () => void;
}

function Rejecting({ desk, why, setWhy, onClose }: RejectingProps) {
  return (
    <form
      className="mt-3 ml-8 max-sm:ml-0"
      onSubmit={(event) => {
        event.preventDefault();
        if (why.trim() === "" || !desk.pending) return;
        desk.send({ act: "reject", comment: why });
        onClose();
      }}
    >
      <Field label="Why do you reject it?" hint="Sent to the agent and saved in the audit log.">
        <Textarea value={why} onChange={(e) => setWhy(e.target.value)} autoFocus required />
      </Field>
      <div className="flex gap-2">
        <Button type="submit" look="danger" disabled={!why.trim() || !desk.pending} loading={desk.sending}>
          Reject
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}

function What({ approval }: { approval: Approval }) {
  const tree = proposedOf(approval);
  const loop = approval.reason === "loop";
  if (!tree && !loop) return null;
  return (
    <div className="basis-full @lg:order-2 @lg:pl-8">
      {tree ? (
        <>
          <p className="mb-1 text-small font-medium">What is approved</p>
          <div className="@container max-w-3xl">
            <Values
              whole
              tree={tree}
              schema={loop ? planSchema : schemaOf(approval.action.args_schema ?? approval.input_schema)}
            />
          </div>
        </>
      ) : (
        <p className="text-control">{planUnchanged}</p>
      )}
    </div>
  );
}

/** What is approved is what is shown: the buttons come with the proposal, and small proposals are open. */
function short(approval: Approval): boolean {
  const tree = treeOf(approval.proposed);
  return tree.kind !== "object" || tree.members.length <= 6;
}
