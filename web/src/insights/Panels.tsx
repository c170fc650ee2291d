import { Minus, TrendingDown, TrendingUp } from "lucide-react";
import type { ReactNode } from "react";
import type { Insights, RiskLevel } from "../api/types";
import { Link } from "../router";
import { Badge, Button, Card, RiskBadge, Time } from "../ui";
import { Bars } from "../ui/Bars";
import { DayBars } from "../ui/DayBars";
import { type Column, longDay, lower, sum } from "../ui/days";
import { format, risk } from "../words";
import {
  changeText,
  costRows,
  failureRows,
  failureWord,
  outcomeColumns,
  outcomes,
  type Range,
  ranges,
  runRows,
  sinceTheFirst,
  waitRows,
} from "./figures";
import { Sparkline } from "./Sparkline";

interface Props {
  figures: Insights;
  /** The figures of the previous period; undefined while loading. */
  before?: Insights;
  range: Range;
}

function Big({ children, note }: { children: ReactNode; note?: ReactNode }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-2">
      <span className="text-number font-semibold tracking-tight">{children}</span>
      {note && <span className="text-small text-muted">{note}</span>}
    </p>
  );
}

/** A figure compared with the previous one. Empty if there was none. */
function Compared({
  now,
  before,
  range,
  show,
}: {
  now: number;
  before?: number;
  range: Range;
  show?: (n: number) => string;
}) {
  if (before === undefined || before === 0) return null;
  const text = changeText(now, before);
  const Icon = now === before ? Minus : now > before ? TrendingUp : TrendingDown;
  return (
    <p className="mt-0.5 flex items-center gap-1.5 text-small text-muted">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      {text} the {ranges[range]} before ({(show ?? format.count)(before)})
    </p>
  );
}

function Sentence({ children }: { children: ReactNode }) {
  return <p className="mt-1 mb-3 text-small text-muted">{children}</p>;
}

const levels = Object.keys(risk).reverse() as RiskLevel[];

export function Pending({ figures: { pending } }: Props) {
  const told = levels.filter((level) => pending.by_risk[level]);
  const unnamed = pending.total - sum(Object.values(pending.by_risk));
  return (
    <Card title="Waiting now">
      <Big>
        {format.count(pending.total)}
        {pending.total_is_lower_bound && "+"}
      </Big>
      <Sentence>
        {pending.total === 0 ? (
          "No approvals are pending."
        ) : (
          <>
            Pending approvals
            {pending.oldest_at && (
              <>
                ; the oldest was requested <Time at={pending.oldest_at} />
              </>
            )}
            .
          </>
        )}
      </Sentence>
      {told.length > 0 && (
        <ul className="mb-3 flex flex-wrap gap-x-4 gap-y-1.5">
          {told.map((level) => (
            <li key={level} className="flex items-center gap-1.5">
              <RiskBadge level={level} />
              {format.count(pending.by_risk[level] ?? 0)}
            </li>
          ))}
          {unnamed > 0 && (
            <li className="flex items-center gap-1.5">
              <Badge title="No risk level was set.">Risk not set</Badge>
              {format.count(unnamed)}
              {pending.total_is_lower_bound && "+"}
            </li>
          )}
        </ul>
      )}
      {pending.total > 0 && (
        <Button asChild size="small">
          <Link to="/inbox">Go to inbox</Link>
        </Button>
      )}
    </Card>
  );
}

export function TimeToDecide({ figures: { decided }, before, range }: Props) {
  const seconds = (s: number) => format.duration(s * 1000);
  return (
    <Card title="Time to decide">
      {decided.by_people === 0 ? (
        <Sentence>No decisions by people in this period.</Sentence>
      ) : (
        <>
          <Big note="median">{seconds(decided.median_s)}</Big>
          <Compared now={decided.median_s} before={before?.decided.median_s} range={range} show={seconds} />
          <Sentence>
            Across {format.plural(decided.by_people, "decision")} by people; 90 % took at most{" "}
            <strong className="font-medium text-text">{seconds(decided.p90_s)}</strong>. Automatic approvals are not
            counted.
          </Sentence>
          <Bars rows={waitRows(decided.waits)} head="How long it waited" unit="Decisions" />
        </>
      )}
    </Card>
  );
}

export function Automatic({ figures: { decided, rules }, before, range }: Props) {
  const reviewed = sum(rules.map((r) => r.reviewed));
  const agreed = sum(rules.map((r) => r.agreed));
  return (
    <Card title="Approved by rules">
      {decided.by_rules + decided.by_people === 0 ? (
        <Sentence>No decisions in this period.</Sentence>
      ) : (
        <>
          <Big>{format.percent(decided.auto_share)}</Big>
          {before && before.decided.by_rules + before.decided.by_people > 0 && (
            <p className="mt-0.5 text-small text-muted">
              {format.percent(before.decided.auto_share)} in the {ranges[range]} before
            </p>
          )}
          <Sentence>
            {format.count(decided.by_rules)} of {format.plural(decided.by_rules + decided.by_people, "decision")} were
            automated.
          </Sentence>
        </>
      )}
      {reviewed > 0 ? (
        <>
          <p className="mb-1 text-small">
            Reviewers checked {format.count(reviewed)} of them and agreed with {format.count(agreed)} (
            {format.percent(agreed / reviewed)}).
          </p>
          <Bars
            rows={rules
              .filter((r) => r.reviewed > 0)
              .map((r) => ({
                label: r.rule,
                value: r.share,
                text: `${format.percent(r.share)}`,
                title: `${format.count(r.agreed)} of ${format.count(r.reviewed)} looked at`,
                fill: r.share >= 0.95 ? "bg-ok-fill" : r.share >= 0.8 ? "bg-warn-fill" : "bg-bad-fill",
              }))}
            head="Rule"
            unit="Share that people agreed with"
          />
        </>
      ) : (
        <p className="text-small text-muted">No samples have been reviewed.</p>
      )}
    </Card>
  );
}

export function Outcomes({ figures, range }: Props) {
  const columns = outcomeColumns(sinceTheFirst(figures.days));
  const totals = outcomes
    .map((o, i) => ({ ...o, n: sum(columns.map((c) => c.values[i] ?? 0)) }))
    .filter((o) => o.n > 0);
  const busiest = columns.reduce<Column | undefined>(
    (best, c) => (sum(c.values) > sum(best?.values ?? []) ? c : best),
    undefined,
  );
  const summary =
    totals.length === 0
      ? `Nothing was settled in the last ${ranges[range]}.`
      : `${format.plural(figures.decided.total, "approval")} settled in ${ranges[range]}: ${totals
          .map((o) => `${format.count(o.n)} ${lower(o.label)}`)
          .join(", ")}.${busiest ? ` Most on ${longDay(busiest.day)}.` : ""}`;
  return (
    <Card title="Outcomes, day by day">
      <DayBars columns={columns} series={outcomes} summary={summary} show={format.count} />
    </Card>
  );
}

export function Runs({ figures: { runs, days }, before, range }: Props) {
  const perDay = days.map((day) => ({ day: day.day, value: sum(Object.values(day.runs)) }));
  return (
    <Card title="Runs">
      <Big>{format.count(runs.total)}</Big>
      <Compared now={runs.total} before={before?.runs.total} range={range} />
      <Sentence>
        {runs.total === 0 ? "No runs started in this period." : "Runs started in this period, by current status."}
      </Sentence>
      {runs.total > 0 && <Bars rows={runRows(runs.by_status)} head="Status" unit="Runs" />}
      <Sparkline days={perDay} label="Runs started per day" />
    </Card>
  );
}

export function Failures({ figures, before, range }: Props) {
  const total = sum(figures.failures.map((f) => f.count));
  const agents = failureRows(figures.agents, total);
  const kinds = new Map<string, number>();
  for (const f of figures.failures) kinds.set(failureWord(f.code), (kinds.get(failureWord(f.code)) ?? 0) + f.count);
  return (
    <Card title="Failures">
      <Big>{format.count(total)}</Big>
      <Compared now={total} before={before && sum(before.failures.map((f) => f.count))} range={range} />
      <Sentence>
        {total === 0
          ? "No steps failed in this period."
          : "Steps that failed after all retries, or could not be retried."}
      </Sentence>
      {agents.length > 0 && (
        <>
          <h3 className="mt-2 mb-1 text-small font-medium">By agent</h3>
          <Bars rows={agents} head="Agent" unit="Failures" />
        </>
      )}
      {kinds.size > 0 && (
        <>
          <h3 className="mt-3 mb-1 text-small font-medium">By kind</h3>
          <Bars
            rows={[...kinds]
              .sort((a, b) => b[1] - a[1])
              .map(([label, value]) => ({ label, value, text: format.count(value), fill: "bg-bad-fill" }))}
            head="Kind"
            unit="Failures"
          />
        </>
      )}
    </Card>
  );
}

const cost = [{ key: "cost", label: "Cost", fill: "fill-accent", dot: "bg-accent" }];

export function Cost({ figures, before, range }: Props) {
  const days = sinceTheFirst(figures.days);
  const columns = days.map((d) => ({ day: d.day, values: [Number(d.cost_usd)] }));
  const rows = costRows(figures.workflows);
  const of = (i: number) => format.money(days[i]?.cost_usd);
  const some = columns.some((c) => (c.values[0] ?? 0) > 0);
  return (
    <Card title="Cost">
      <Big>{format.money(figures.runs.cost_usd)}</Big>
      <Compared
        now={Number(figures.runs.cost_usd)}
        before={before && Number(before.runs.cost_usd)}
        range={range}
        show={() => format.money(before?.runs.cost_usd)}
      />
      <Sentence>
        What models and tools have cost in the runs that started in this time, as far as agents say so, in US dollars.
      </Sentence>
      {some && (
        <div className="grid gap-x-8 gap-y-4 md:grid-cols-[3fr_2fr]">
          <DayBars
            columns={columns}
            series={cost}
            summary={`Cost per day over ${ranges[range]}, by the day on which the run started.`}
            show={(value) => (value === 0 ? "$0" : `$${Number(value.toPrecision(2))}`)}
            say={(column, i) => `${longDay(column.day)}: ${of(i)}`}
            cell={of}
          />
          <div>
            <h3 className="mb-1 text-small font-medium">By workflow</h3>
            <Bars rows={rows} head="Workflow" unit="Cost in US dollars" />
          </div>
        </div>
      )}
    </Card>
  );
}
