import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { approvalsQuery, usePendingCount } from "../api/approvals";
import { useMe } from "../api/documents";
import type { ApprovalStatus } from "../api/types";
import { outcomeText } from "../decide/words";
import { useLostSince } from "../live";
import { Button } from "../ui/Button";
import { Time } from "../ui/Time";
import { format } from "../words";

/** Why the list is empty: connection lost, filtered, or all done. Loaded when needed. */
export default function Nothing({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const lostSince = useLostSince();
  const { data: all } = usePendingCount();
  const { data: me } = useMe();
  if (lostSince !== undefined) return <Lost since={lostSince} filtered={filtered} waiting={all ?? 0} />;
  if (filtered && all) return <Hidden count={all} onClear={onClear} />;
  return <AllClear me={me?.name} />;
}

const settled: ApprovalStatus[] = ["approved", "modified", "rejected", "chosen", "submitted", "revision_requested"];

function Empty({
  picture,
  title,
  children,
  action,
}: {
  picture: ReactNode;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="motion-fade flex flex-1 flex-col items-center justify-center px-6 py-12 text-center">
      {picture}
      <h2 className="mt-5 text-lead font-semibold">{title}</h2>
      <div className="mt-1 max-w-96 text-muted">{children}</div>
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}

/** Nothing is pending. */
function AllClear({ me }: { me: string | undefined }) {
  const { data } = useQuery(approvalsQuery({ status: settled, sort: "settled", limit: 1 }));
  const last = data?.items[0];
  return (
    <Empty picture={<Calm />} title="All clear">
      <p>No approvals are pending. New ones appear here as soon as an agent asks.</p>
      {last && (
        <p className="mt-3 text-small">
          Last decision <Time at={last.outcome?.at} />: {outcomeText(last, me)} (“{last.title}”)
        </p>
      )}
    </Empty>
  );
}

/** Something is pending, but does not match the filter. */
function Hidden({ count, onClear }: { count: number; onClear: () => void }) {
  return (
    <Empty
      picture={<Sieve />}
      title={`Your filter hides ${format.count(count)}`}
      action={
        <Button look="filled" onClick={onClear}>
          Clear the filter
        </Button>
      }
    >
      <p>
        {count === 1 ? "One decision waits" : `${format.count(count)} decisions wait`}, but none of them fits what you
        chose.
      </p>
    </Empty>
  );
}

/** Nothing to show, and it is unknown whether that is still true. */
function Lost({ since, filtered, waiting }: { since: number; filtered: boolean; waiting: number }) {
  const was = !filtered
    ? "Nothing was waiting then"
    : waiting > 0
      ? `With this filter nothing was waiting then (without it: ${format.count(waiting)})`
      : "With this filter nothing was waiting then";
  return (
    <Empty picture={<Cut />} title={`Connection lost since ${format.clock(since)}`}>
      <p>{was}; what came since is not shown. We keep trying, and this fills by itself.</p>
    </Empty>
  );
}

const frame = { viewBox: "0 0 160 96", className: "h-24 w-40", fill: "none" } as const;

/** A quiet evening: hills, a low sun, still water. */
function Calm() {
  return (
    <svg {...frame} aria-hidden="true">
      <circle cx="80" cy="40" r="22" className="fill-accent-bg stroke-accent" strokeWidth="1.5" />
      <path
        d="M6 66c18-14 34-20 50-12s24 10 40 2 34-8 58 10z"
        className="fill-sunken stroke-border-strong"
        strokeWidth="1.5"
      />
      <path
        d="M71 38l6.5 6.5L90 32"
        className="stroke-accent"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path d="M24 76h112M42 84h76M62 92h36" className="stroke-border-strong" strokeWidth="1.5" strokeLinecap="round" />
    </svg>
  );
}

function Sieve() {
  return (
    <svg {...frame} aria-hidden="true">
      <path
        d="M44 18h72L90 50v24l-20 10V50z"
        className="fill-accent-bg stroke-accent"
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
      <path
        d="M14 30h18M10 44h28M18 58h26M128 30h18M122 44h28M116 58h26"
        className="stroke-border-strong"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
    </svg>
  );
}

function Cut() {
  return (
    <svg {...frame} aria-hidden="true">
      <path
        d="M8 58h44c8 0 10-6 14-10M152 38h-44c-8 0-10 6-14 10"
        className="stroke-border-strong"
        strokeWidth="2"
        strokeLinecap="round"
      />
      <path d="M74 34l-4-10M84 32V20M94 36l6-9" className="stroke-warn-fill" strokeWidth="2" strokeLinecap="round" />
      <circle cx="66" cy="48" r="4" className="fill-warn-bg stroke-warn-fill" strokeWidth="1.5" />
      <circle cx="94" cy="48" r="4" className="fill-warn-bg stroke-warn-fill" strokeWidth="1.5" />
    </svg>
  );
}
