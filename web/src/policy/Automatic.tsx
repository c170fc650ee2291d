import { BadgeCheck, CircleCheck, ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { type Policy, useApprovals, useInsights, useMay, usePolicySamples } from "../api";
import { type RuleAccuracy, type RuleSample, useReviewSample } from "../api/policyEdit";
import { lineLink } from "../lib/look";
import { Link } from "../router";
import {
  Badge,
  Button,
  Card,
  EmptyState,
  ErrorNote,
  Field,
  JsonView,
  Meter,
  SkeletonRows,
  Textarea,
  Time,
} from "../ui";
import { Bars } from "../ui/Bars";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { format } from "../words";

/** What rules approve by themselves: how much, how well, and what is left of grants. */
export function Automatic({ policy }: { policy: Policy }) {
  const samples = usePolicySamples();
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
      <div className="min-w-0 space-y-4">
        <Samples items={samples.data?.items} error={samples.error} />
        <Latest />
      </div>
      <div className="min-w-0 space-y-4">
        <Share accuracy={samples.data?.accuracy ?? []} />
        <Grants policy={policy} />
      </div>
    </div>
  );
}

function Samples({ items, error }: { items?: RuleSample[]; error: unknown }) {
  const open = items?.filter((one) => !one.review) ?? [];
  const done = items?.filter((one) => one.review) ?? [];
  return (
    <Card
      title="Samples to review"
      actions={open.length > 0 && <Badge tone="accent">{format.count(open.length)}</Badge>}
      flush
    >
      {error ? <ErrorNote error={error} /> : !items && <SkeletonRows rows={3} />}
      {items && open.length === 0 && (
        <EmptyState icon={BadgeCheck} title={done.length > 0 ? "All samples reviewed" : "No samples"}>
          {done.length > 0
            ? "New ones appear here as rules approve more."
            : "Rules with a share to review afterwards put some of their approvals here."}
        </EmptyState>
      )}
      <ul className="divide-y" aria-label="Samples to review">
        {open.slice(0, 20).map((sample) => (
          <Sample key={sample.approval} sample={sample} />
        ))}
      </ul>
      {open.length > 20 && (
        <p className="border-t px-4 py-2 text-small text-muted">{format.count(open.length - 20)} more follow.</p>
      )}
    </Card>
  );
}

function Sample({ sample }: { sample: RuleSample }) {
  const may = useMay();
  const review = useReviewSample();
  const [disagreeing, setDisagreeing] = useState(false);
  const [comment, setComment] = useState("");
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <Link to="/approvals/$id" params={{ id: sample.approval }} className={`font-medium break-words ${lineLink}`}>
            <Visible text={sample.title} />
          </Link>
          <p className="text-small break-words text-muted">
            Rule “<Visible text={sample.rule} />” · <Time at={sample.requested_at} />
          </p>
        </div>
        {may("approve") && !disagreeing && (
          <div className="flex gap-2 max-sm:basis-full max-sm:*:flex-1">
            <Button
              size="small"
              loading={review.isPending}
              aria-label={`Right to approve: ${sample.title}`}
              onClick={() => {
                keepFocus();
                review.mutate({ id: sample.approval, agree: true });
              }}
            >
              <ThumbsUp aria-hidden /> Right
            </Button>
            <Button size="small" aria-label={`Wrong to approve: ${sample.title}`} onClick={() => setDisagreeing(true)}>
              <ThumbsDown aria-hidden /> Wrong
            </Button>
          </div>
        )}
      </div>
      <div className="mt-2">
        <JsonView value={sample.proposed} />
      </div>
      {disagreeing && (
        <form
          className="mt-2"
          onSubmit={(event) => {
            event.preventDefault();
            keepFocus();
            review.mutate({ id: sample.approval, agree: false, comment });
          }}
        >
          <Field label="What was wrong?" hint="It is recorded. Nothing is undone.">
            <Textarea rows={2} autoFocus value={comment} onChange={(e) => setComment(e.target.value)} />
          </Field>
          <div className="flex justify-end gap-2">
            <Button
              size="small"
              onClick={() => {
                keepFocus();
                setDisagreeing(false);
              }}
            >
              Cancel
            </Button>
            <Button type="submit" size="small" look="filled" loading={review.isPending}>
              Record as wrong
            </Button>
          </div>
        </form>
      )}
      {review.error && <ErrorNote error={review.error} />}
    </li>
  );
}

/** How many decisions rules took, and how often reviewers agreed. */
function Share({ accuracy }: { accuracy: RuleAccuracy[] }) {
  const { data } = useInsights({ since: "30d" }, "");
  const reviewed = accuracy.filter((a) => a.reviewed > 0);
  return (
    <Card title="Last 30 days">
      {!data ? (
        <SkeletonRows rows={2} />
      ) : (
        <>
          <p className="text-number font-semibold tracking-tight">{format.percent(data.decided.auto_share)}</p>
          <p className="mb-3 text-small text-muted">
            {format.count(data.decided.by_rules)} of{" "}
            {format.plural(data.decided.by_rules + data.decided.by_people, "decision")} were automated.
          </p>
        </>
      )}
      <h3 className="mb-1 text-small font-medium">Accuracy</h3>
      {reviewed.length === 0 ? (
        <p className="text-small text-muted">No samples have been reviewed.</p>
      ) : (
        <Bars
          head="Rule"
          unit="Share that reviewers agreed with"
          max={1}
          rows={reviewed.map((a) => ({
            label: a.rule,
            value: a.share,
            text: format.percent(a.share),
            title: `${format.count(a.agreed)} of ${format.count(a.reviewed)} reviewed samples`,
            fill: a.share >= 0.95 ? "bg-ok-fill" : a.share >= 0.8 ? "bg-warn-fill" : "bg-bad-fill",
          }))}
        />
      )}
    </Card>
  );
}

/** Rules that end by themselves. */
function Grants({ policy }: { policy: Policy }) {
  const grants = policy.rules.filter((rule) => rule.max_uses !== undefined);
  return (
    <Card title="Grants">
      {grants.length === 0 && <p className="text-muted">No rule in force has a limited number of uses.</p>}
      <ul className="space-y-3">
        {grants.map((rule) => {
          const most = rule.max_uses ?? 0;
          const used = rule.used ?? 0;
          return (
            <li key={rule.path}>
              <Meter
                label={rule.name}
                value={Math.min(used, most)}
                max={most}
                text={`${format.count(Math.max(0, most - used))} of ${format.count(most)} uses left`}
              />
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** The latest automatic approvals, each with its rule. */
function Latest() {
  const { data, error } = useApprovals({ status: ["auto_approved"], sort: "settled", limit: 10 });
  return (
    <Card title="Latest automatic approvals" flush>
      {error ? <ErrorNote error={error} /> : !data && <SkeletonRows rows={3} />}
      {data?.items.length === 0 && <p className="p-4 text-muted">No rule has approved anything yet.</p>}
      <ul className="divide-y" aria-label="Latest automatic approvals">
        {data?.items.map((one) => (
          <li key={one.id} className="flex flex-wrap items-center gap-x-3 px-4 py-2">
            <CircleCheck aria-hidden className="size-4 shrink-0 text-ok-text" />
            <Link
              to="/approvals/$id"
              params={{ id: one.id }}
              className={`min-w-0 flex-1 basis-40 truncate ${lineLink}`}
            >
              <Visible text={one.title} />
            </Link>
            <span className="min-w-0 truncate text-small text-muted">
              {one.rule && <Visible text={one.rule.name} />} · <Time at={one.outcome?.at ?? one.requested_at} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
