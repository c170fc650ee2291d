import { ArrowRight, Check, Hourglass, X } from "lucide-react";
import { useState } from "react";
import type { OpenBelow } from "../api/below";
import type { Approval } from "../api/types";
import { blobOf } from "../decide/blob";
import { Calm } from "../decide/Calm";
import { heldText } from "../decide/DecisionBar";
import { SendError } from "../decide/SendError";
import { schemaOf } from "../decide/schema";
import { type Desk, useDesk } from "../decide/useDesk";
import { Values } from "../decide/Values";
import { askText, waitedFor } from "../graph";
import { treeOf } from "../json";
import { Link } from "../router";
import { Button } from "../ui/Button";
import { ConfidenceBar } from "../ui/ConfidenceBar";
import { Countdown } from "../ui/Countdown";
import { Field } from "../ui/Field";
import { RiskBadge } from "../ui/RiskBadge";
import { Textarea } from "../ui/Textarea";
import { Time } from "../ui/Time";
import { format } from "../words";
import { planSchema, proposedOf } from "./planChange";

const shownAtOnce = 3;

/** What the run waits for, itself or in its sub-runs, to be decided right here where that is enough. */
export function Pending({ approvals, below }: { approvals: Approval[]; below?: OpenBelow }) {
  const [all, setAll] = useState(false);
  const own = approvals.filter((a) => a.status === "pending");
  const open = [...own, ...(below?.items.map((item) => item.approval) ?? [])];
  if (open.length === 0) return null;
  const shown = all ? open : open.slice(0, shownAtOnce);
  const more = (below?.total ?? 0) - (below?.items.length ?? 0);
  return (
    <section aria-label="Open decisions" className="divide-y rounded-md border border-warn-fill bg-surface">
      {shown.map((approval, i) => (
        <PendingCard key={approval.id} approval={approval} alone={open.length === 1} within={i >= own.length} />
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

/** Quick answers only where one look is enough: a plain yes or no, not critical, and small enough to be seen whole. */
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
  /** Nothing else waits: what is proposed stands open. */
  alone: boolean;
  /** It belongs to a sub-run. */
  within?: boolean;
}

export function PendingCard({ approval, alone, within }: CardProps) {
  const [looking, setLooking] = useState(alone && short(approval));
  const [rejecting, setRejecting] = useState(false);
  const [why, setWhy] = useState("");
  const desk = useDesk(approval);
  const quick = quickly(approval) && !begun(desk);
  const { held } = desk;
  return (
    <article className="p-4">
      {/* What is decided stands before the answers; where there is room, they are beside the question. */}
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Hourglass aria-hidden className="mt-0.5 size-4 shrink-0 text-warn-text" />
        <div className="min-w-48 flex-1">
          <h2 className="font-semibold break-words">
            <Link to="/approvals/$id" params={{ id: approval.id }} className="reach hover:underline">
              {askText(approval)}
            </Link>
          </h2>
          {approval.description && askText(approval) === approval.title && (
            <p className="break-words text-muted">{approval.description}</p>
          )}
          <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted">
            <span>
              Waits for {waitedFor(approval)} since <Time at={approval.requested_at} />
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
            <ConfidenceBar confidence={approval.confidence} />
            <Countdown until={approval.deadline_at} then={approval.on_timeout} />
          </p>
        </div>
        {quick && looking && <What approval={approval} />}
        <div className="flex flex-wrap gap-2 max-sm:basis-full sm:order-1">
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
            // What comes to stand here takes no click for a moment, and neither does a changed proposal.
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
      {rejecting && !held && <Rejecting desk={desk} why={why} setWhy={setWhy} onClose={() => setRejecting(false)} />}
      {desk.error && (
        <div className="mt-3">
          <SendError desk={desk} />
        </div>
      )}
    </article>
  );
}

/** What has to be looked at on a page of its own: files of the run, and what somebody began to write or change. */
function begun({ exhibits, editing, note }: Desk): boolean {
  return exhibits.items.length > 0 || exhibits.error !== null || editing || note !== "";
}

interface RejectingProps {
  desk: Desk;
  /** Kept by the card: it is there again when the answer did not go through. */
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
        if (why.trim() === "") return;
        desk.send({ act: "reject", comment: why });
        onClose();
      }}
    >
      <Field label="Why do you reject it?" hint="Sent to the agent and saved in the audit log.">
        <Textarea value={why} onChange={(e) => setWhy(e.target.value)} autoFocus required />
      </Field>
      <div className="flex gap-2">
        <Button type="submit" look="danger" disabled={!why.trim()} loading={desk.sending}>
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
    <div className="basis-full sm:order-2 sm:pl-8">
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
        <p className="text-control">The plan stays as it is: no step is added, none is left out.</p>
      )}
    </div>
  );
}

/** What is approved is what is shown: the buttons come with the proposal, and small ones stand open. */
function short(approval: Approval): boolean {
  const tree = treeOf(approval.proposed);
  return tree.kind !== "object" || tree.members.length <= 6;
}
