import { CircleDollarSign, Hourglass, Timer, type UserRound, Users } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { Approval } from "../api/types";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { Badge } from "../ui/Badge";
import { ConfidenceBar, stated } from "../ui/ConfidenceBar";
import { useClock } from "../ui/clock";
import { hover } from "../ui/hover";
import { RiskBadge } from "../ui/RiskBadge";
import { Elapsed, Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format, risk } from "../words";
import { spelled } from "../words/unseen";
import { Confidence } from "./Confidence";
import { askedOf, headline, quorumText, riskReasons, sentence } from "./words";

/** The line above the title: who wants what, in which run. */
export function Asker({ approval }: { approval: Approval }) {
  const { who, what } = headline(approval);
  return (
    <p className="text-muted">
      <span className="font-medium text-text">
        <Visible text={who} />
      </span>{" "}
      <Visible text={what} />
      {approval.action.type === "run" ? " " : ", in "}
      <Link
        to="/runs/$id"
        params={{ id: approval.run }}
        className="text-accent-text underline decoration-1 underline-offset-2 pointer-coarse:py-2"
        title={`Run ${approval.run}`}
      >
        a run of {format.title(approval.workflow)}
      </Link>
      {approval.index !== undefined && `, element ${approval.index + 1}`}
    </p>
  );
}

/** Whether the action can be undone, if known: an irreversible one deserves a second look. */
function Undo({ approval: { action } }: { approval: Approval }) {
  if (action.reversible === "no") return <Small className="font-medium text-bad-text">It cannot be undone.</Small>;
  if (!action.reversible_by) return null;
  return (
    <Small>
      <Visible text={`${format.title(action.reversible_by)} undoes it.`} />
    </Small>
  );
}

/** A question about nothing that was proposed: there is nothing to be sure of. */
function unproposed(a: Approval): boolean {
  return (a.kind === "choice" || a.kind === "input") && a.confidence_source?.step === "input";
}

/** The same in one line, for one column: placed before the proposal, which says more. */
export function Glance({ approval: a }: { approval: Approval }) {
  if (a.status !== "pending") return null;
  return (
    <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-small text-muted">
      <RiskBadge level={a.risk.level} reasons={riskReasons(a).map(spelled)} />
      {a.action.reversible === "no" && <Badge tone="bad">Cannot be undone</Badge>}
      <ConfidenceBar confidence={stated(a)} />
      {a.deadline_at && (
        <span className="flex items-center gap-1">
          <Timer aria-hidden className="size-3.5" />
          <Left until={a.deadline_at} />
        </span>
      )}
      {a.quorum.needed > 1 && (
        <span>
          {a.quorum.given} of {a.quorum.needed} approved
        </span>
      )}
    </p>
  );
}

/** Everything that matters for a decision, at a glance. */
export const Facts = memo(function Facts({ approval: a }: { approval: Approval }) {
  const pending = a.status === "pending";
  const asked = askedOf(a);
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3 [&>:last-child:nth-child(odd)]:col-span-2">
      {a.risk.level && (
        <Fact name="Risk">
          <RiskBadge level={a.risk.level} reasons={riskReasons(a).map(spelled)} />
          <Small>
            <Visible text={sentence(riskReasons(a).join("; ")) || risk[a.risk.level].sentence} />
          </Small>
          <Undo approval={a} />
        </Fact>
      )}
      {(a.confidence !== null || a.confidence_source) && !unproposed(a) && (
        <Fact name="Confidence">
          <Confidence approval={a} />
        </Fact>
      )}
      <Fact name="Who decides" icon={Users}>
        {quorumText(a)}
        <Small>
          {asked.length > 0 ? "Asked: " : "Anyone can decide"}
          <Visible text={asked.join(", ")} /> · started by <Visible text={a.requester} />
        </Small>
        {a.for && <Small>You decide it for {a.for}.</Small>}
        {a.away?.map(({ name, to, until }) => (
          <Small key={name}>
            {name} is away until {format.exact(Date.parse(until))}; {to} decides for them.
          </Small>
        ))}
      </Fact>
      {pending ? <Waiting approval={a} /> : <Asked approval={a} />}
      {a.estimated_cost_usd !== null && (
        <Fact name="Cost" icon={CircleDollarSign}>
          {format.money(a.estimated_cost_usd)}
          <Small>Estimated.</Small>
        </Fact>
      )}
    </dl>
  );
});

function Asked({ approval: a }: { approval: Approval }) {
  return (
    <Fact name="Asked" icon={Hourglass}>
      <Time at={a.requested_at} />
      {a.outcome && (
        <Small>
          It took <Elapsed from={a.requested_at} to={a.outcome.at} />.
        </Small>
      )}
    </Fact>
  );
}

function Waiting({ approval: a }: { approval: Approval }) {
  return (
    <Fact name={a.deadline_at ? "Time left" : "Waiting"} icon={a.deadline_at ? Timer : Hourglass}>
      {a.deadline_at ? <Left until={a.deadline_at} /> : <Elapsed from={a.requested_at} />}
      <Small>
        {a.deadline_at ? (
          <>
            Asked <Time at={a.requested_at} />.
          </>
        ) : a.pause_at ? (
          <>
            Pauses the run <Time at={a.pause_at} />.
          </>
        ) : (
          "No deadline."
        )}
      </Small>
    </Fact>
  );
}

function Left({ until }: { until: string }) {
  const ms = Date.parse(until);
  const left = useClock((now) => Math.floor((ms - now) / 1000));
  const tone = left < 600 ? "text-bad-text" : left < 3600 ? "text-warn-text" : undefined;
  return (
    <span className={cn("font-medium", tone)} {...hover(() => format.exact(ms))}>
      {left > 0 ? format.duration(left * 1000) : "Due now"}
    </span>
  );
}

function Fact({ name, icon: Icon, children }: { name: string; icon?: typeof UserRound; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="mb-0.5 flex items-center gap-1 text-meta text-muted">
        {Icon && <Icon aria-hidden className="size-3" />}
        {name}
      </dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

function Small({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={cn("mt-0.5 text-small text-muted", className)}>{children}</div>;
}
