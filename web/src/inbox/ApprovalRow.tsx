import { Link } from "@tanstack/react-router";
import type { Approval } from "../api";
import { ConfidenceBar, Countdown, RiskBadge, Time } from "../ui";
import { format } from "../words";

/** One approval in a list: what is wanted, by whom, how risky, until when. */
export function ApprovalRow({ approval }: { approval: Approval }) {
  const { id, title, workflow, agent, step, risk, confidence, deadline_at, on_timeout, requested_at } = approval;
  return (
    <li>
      <Link to="/approvals/$id" params={{ id }} className="flex min-h-14 items-center gap-4 px-4 py-2 hover:bg-hover">
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{title}</span>
          <span className="block truncate text-small text-muted">
            {format.title(agent || step)} in {format.title(workflow)}
          </span>
        </span>
        <ConfidenceBar confidence={confidence} className="max-md:hidden" />
        <RiskBadge level={risk.level} reasons={risk.reasons} />
        <Countdown until={deadline_at} then={on_timeout} className="max-sm:hidden" />
        <Time at={requested_at} className="w-20 text-right text-small text-muted max-sm:w-auto" />
      </Link>
    </li>
  );
}
