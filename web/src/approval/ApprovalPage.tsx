import { Link, useParams } from "@tanstack/react-router";
import { useApproval } from "../api";
import { Page } from "../shell";
import { Card, ConfidenceBar, Countdown, ErrorNote, JsonView, RiskBadge, SkeletonRows, StatusBadge, Time } from "../ui";
import { approvalReason, format } from "../words";

/** One approval: what is proposed, and why it is asked. */
export function ApprovalPage() {
  const { id } = useParams({ from: "/approvals/$id" });
  const { data: approval, error } = useApproval(id);
  if (!approval) {
    return <Page title="Approval">{error ? <ErrorNote error={error} /> : <SkeletonRows />}</Page>;
  }
  return (
    <Page
      title={approval.title}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StatusBadge approval={approval.status} />
          <RiskBadge level={approval.risk.level} reasons={approval.risk.reasons} />
          <ConfidenceBar confidence={approval.confidence} />
          <Countdown until={approval.deadline_at} then={approval.on_timeout} />
          <span>
            {format.title(approval.agent || approval.step)} asked <Time at={approval.requested_at} /> in{" "}
            <Link
              to="/runs/$id"
              params={{ id: approval.run }}
              className="text-accent-text underline-offset-2 hover:underline"
            >
              {format.title(approval.workflow)}
            </Link>
          </span>
        </span>
      }
    >
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="Proposed">
          <JsonView value={approval.proposed} />
        </Card>
        <Card title="Why you are asked">
          <p className="mb-2">{approvalReason[approval.reason].sentence}</p>
          {approval.description && <p className="mb-2 whitespace-pre-wrap">{approval.description}</p>}
          {approval.reasoning && <p className="whitespace-pre-wrap text-muted">{approval.reasoning}</p>}
        </Card>
      </div>
    </Page>
  );
}
