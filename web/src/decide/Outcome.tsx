import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Inbox, Workflow } from "lucide-react";
import { approvalsQuery } from "../api/approvals";
import { useMe } from "../api/documents";
import type { Approval } from "../api/types";
import { cn } from "../lib/cn";
import { useStands } from "../lib/later";
import { Link } from "../router";
import { tones } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Kbd } from "../ui/Kbd";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { approvalStatus } from "../words";
import { spelled } from "../words/unseen";
import { LongText } from "./LongText";
import { outcomeText, whatNext } from "./words";

/** The outcome: by whom, when, with which comment, and what happens next. */
export function Outcome({ approval: a }: { approval: Approval }) {
  const me = useMe().data?.name;
  if (a.status === "pending") return null;
  const word = approvalStatus[a.status];
  const Icon = word.icon;
  return (
    <section aria-label="How it ended" className={cn("motion-fade flex gap-3 rounded-md border p-4", tones[word.tone])}>
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="text-lead font-semibold">{word.label}</p>
        <p>
          <Visible text={outcomeText(a, me)} />
          {a.outcome && (
            <>
              {" · "}
              <Time at={a.outcome.at} />
            </>
          )}
          {a.outcome ? "" : "."}
        </p>
        {a.outcome?.comment && <LongText text={`“${a.outcome.comment}”`} className="mt-1" />}
        <p className="mt-1 text-small">
          <Visible text={whatNext(a)} />
        </p>
      </div>
    </section>
  );
}

/** The next pending approval, once there is nothing left to decide here; read ahead after the first view. */
export function useNext({ id, status, acts }: Approval): Approval | undefined {
  const settled = status !== "pending" || acts.length === 0;
  const { data } = useQuery({
    ...approvalsQuery({ status: ["pending"], mine: true, sort: "priority", limit: 5 }),
    enabled: useStands() || settled,
  });
  return settled ? data?.items.find((a) => a.id !== id && a.status === "pending" && a.acts.length > 0) : undefined;
}

/** Where to go next, after a decision. */
export function WaysOn({ approval }: { approval: Approval }) {
  const next = useNext(approval);
  return (
    <>
      <Button asChild>
        <Link to="/runs/$id" params={{ id: approval.run }}>
          <Workflow aria-hidden /> See the run
        </Link>
      </Button>
      {next ? (
        <Button asChild look="filled">
          <Link to="/approvals/$id" params={{ id: next.id }} title={spelled(next.title)}>
            Next in inbox <ArrowRight aria-hidden />
            <Kbd keys="n" />
          </Link>
        </Button>
      ) : (
        <Button asChild look="filled">
          <Link to="/inbox">
            <Inbox aria-hidden /> All clear: to the inbox
          </Link>
        </Button>
      )}
    </>
  );
}
