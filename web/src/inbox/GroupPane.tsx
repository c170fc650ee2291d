import { useQuery } from "@tanstack/react-query";
import { Check, ListTree, X } from "lucide-react";
import { keys } from "../api/queries";
import type { Approval } from "../api/types";
import { Button } from "../ui/Button";
import { ErrorNote } from "../ui/ErrorNote";
import { RiskBadge } from "../ui/RiskBadge";
import { SkeletonRows } from "../ui/Skeleton";
import { format } from "../words";
import { totalsOf, whyNotAct, whyNotTogether } from "./batch";
import type { Sort } from "./filter";
import { membersOf } from "./members";
import { who } from "./say";
import { subjectOf } from "./subject";
import { Title } from "./Title";

interface Props {
  /** The row of the group. */
  row: Approval;
  sort: Sort;
  onReview: () => void;
  onDecide: (act: "approve" | "reject") => void;
}

/**
 * A group of similar approvals of one run, beside the list: its members, and ways to decide them. Loaded with the first
 * such row.
 */
export default function GroupPane({ row, sort, onReview, onDecide }: Props) {
  const { data: members, error } = useQuery({
    queryKey: [...keys.approvalLists, "group", row.alike?.ids],
    queryFn: () => membersOf(row, { sort }),
  });
  const count = format.count(members?.length ?? row.alike?.count ?? 0);
  const why = (act: "approve" | "reject") => whyNotTogether(members ?? []) || whyNotAct(members ?? [], act);
  const noApprove = why("approve");
  const totals = totalsOf(members ?? []);
  return (
    <section
      aria-label={`${count} alike`}
      data-decides={row.id}
      tabIndex={-1}
      className="flex h-full flex-col outline-none"
    >
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto p-4"
      >
        <p className="text-muted">{who(row)}</p>
        <h2 className="mt-0.5 text-lead font-semibold tracking-tight">
          {count} × {subjectOf(row).label}
        </h2>
        <p className="mt-2 flex flex-wrap items-center gap-3 text-muted">
          <RiskBadge level={row.risk.level} reasons={row.risk.reasons} />
          Asked alike in one run. Requests that stand out have their own row.
        </p>
        {error && <ErrorNote error={error} />}
        {members ? (
          <ol className="mt-4 divide-y rounded-md border bg-surface">
            {members.map((a) => (
              <li key={a.id} className="px-4 py-2 break-words">
                <Title approval={a} />
              </li>
            ))}
          </ol>
        ) : (
          !error && <SkeletonRows rows={5} />
        )}
        {totals.map(({ label, text }) => (
          <p key={label} className="mt-3">
            <span className="text-muted">{label} in all</span> <strong className="font-semibold">{text}</strong>
          </p>
        ))}
      </div>
      <div data-answers="" className="flex flex-wrap items-center justify-end gap-2 border-t bg-raised px-4 py-3">
        <Button className="mr-auto" onClick={onReview}>
          <ListTree /> Review each
        </Button>
        {members && noApprove && <span className="text-small text-warn-text">{noApprove}.</span>}
        <Button look="danger-outlined" disabled={!members || why("reject") !== ""} onClick={() => onDecide("reject")}>
          <X /> Reject {count}…
        </Button>
        <Button look="filled" disabled={!members || noApprove !== ""} onClick={() => onDecide("approve")}>
          <Check /> Approve {count}…
        </Button>
      </div>
    </section>
  );
}
