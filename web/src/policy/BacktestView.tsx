import { CircleCheck, FlaskConical, ShieldAlert } from "lucide-react";
import type { ReactNode } from "react";
import { type Backtest, type PassedCase, useBacktest } from "../api/policyEdit";
import { lineLink } from "../lib/look";
import { Link, useNavigate, useSearch } from "../router";
import { Badge, Button, Card, Diff, EmptyState, ErrorNote, Skeleton, Time } from "../ui";
import { Bars } from "../ui/Bars";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import type { Work } from "./useWork";

const periods = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;

/** What the policy would have decided differently in the past. */
export function BacktestView({ work }: { work: Work }) {
  const search = useSearch();
  const navigate = useNavigate();
  const days = search.days && Object.hasOwn(periods, search.days) ? (search.days as keyof typeof periods) : "30";
  const { data, error, isFetching, refetch } = useBacktest(work.text, `${days}d`);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-64 text-muted">
          {work.dirty ? "Your changes" : "The policy in force"}, evaluated for everything that people and rules decided.
        </p>
        <fieldset className="inline-flex overflow-hidden rounded-sm border border-border-strong">
          <legend className="sr-only">Period</legend>
          {(Object.keys(periods) as (keyof typeof periods)[]).map((key) => (
            <button
              key={key}
              type="button"
              aria-pressed={key === days}
              onClick={() =>
                void navigate(
                  { search: (before) => ({ ...before, days: key === "30" ? undefined : key }) },
                  { replace: true },
                )
              }
              className="h-(--tap) border-l px-3 text-control first:border-l-0 hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:font-medium aria-pressed:text-accent-text"
            >
              {periods[key]}
            </button>
          ))}
        </fieldset>
      </div>
      {error && (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
      )}
      {!data && !error && (
        <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
          {[1, 2, 3, 4].map((i) => (
            <Skeleton key={i} className="h-24" />
          ))}
        </div>
      )}
      {data && !error && (
        <div aria-busy={isFetching} className="space-y-4">
          <BacktestResult result={data} />
        </div>
      )}
    </>
  );
}

export function BacktestResult({ result }: { result: Backtest }) {
  if (result.subjects === 0)
    return (
      <EmptyState icon={FlaskConical} title="No past decisions">
        There is nothing to compare with in this period. Choose a longer one, or come back later.
      </EmptyState>
    );
  return (
    <>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure
          label="No longer asked"
          value={format.count(result.asked_to_auto)}
          note={share(result.asked_to_auto, result)}
        />
        <Figure
          label="Asked again"
          value={format.count(result.auto_to_asked)}
          note={share(result.auto_to_asked, result)}
        />
        <Figure label="Refused" value={format.count(result.denied)} note={share(result.denied, result)} />
        <Figure
          label={result.minutes_saved < 0 ? "Reviewer time added" : "Reviewer time saved"}
          value={hours(Math.abs(result.minutes_saved))}
          note="estimated from the time between decisions"
        />
      </div>
      <Risk
        title="Rejected, but it would approve"
        tone="bad"
        cases={result.would_pass_rejected}
        none="It would not approve anything that people rejected."
      />
      {result.would_pass_modified.length > 0 && (
        <Risk title="Edited, but it would approve unchanged" tone="warn" cases={result.would_pass_modified} none="" />
      )}
      <ByRule result={result} />
    </>
  );
}

const share = (n: number, { subjects }: Backtest) =>
  `${format.percent(n / subjects)} of ${format.plural(subjects, "case")}`;

/** Minutes as a time: "2 h 10 min". */
export function hours(minutes: number): string {
  return minutes < 0.5 ? "0 min" : format.duration(Math.round(minutes) * 60_000);
}

function Figure({ label, value, note }: { label: string; value: string; note: string }) {
  return (
    <div className="rounded-md border bg-surface p-4">
      <p className="text-small text-muted">{label}</p>
      <p className="text-number font-semibold tracking-tight">{value}</p>
      <p className="text-small text-muted">{note}</p>
    </div>
  );
}

function Risk(props: { title: string; tone: "bad" | "warn"; cases: PassedCase[]; none: ReactNode }) {
  const { title, tone, cases, none } = props;
  if (cases.length === 0)
    return (
      <p className="flex items-center gap-2 rounded-md bg-ok-bg px-4 py-3 text-ok-text">
        <CircleCheck aria-hidden className="size-4 shrink-0" /> {none}
      </p>
    );
  return (
    <Card
      flush
      title={
        <span className="flex items-center gap-2">
          <ShieldAlert aria-hidden className={tone === "bad" ? "size-4 text-bad-text" : "size-4 text-warn-text"} />
          {title}
        </span>
      }
      actions={<Badge tone={tone}>{format.count(cases.length)}</Badge>}
    >
      <ul className="max-h-96 divide-y overflow-y-auto" aria-label={title}>
        {cases.map((one) => (
          <li key={one.approval} className="px-4 py-2.5">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <Link
                to="/approvals/$id"
                params={{ id: one.approval }}
                className={`min-w-0 font-medium break-words text-accent-text ${lineLink}`}
              >
                <Visible text={one.title} />
              </Link>
              <span className="text-small text-muted">
                {tone === "bad" ? "rejected" : "edited"} by <Visible text={one.decided_by} /> ·{" "}
                <Time at={one.requested_at} /> ·{" "}
                {one.rule ? (
                  <>
                    by rule “<Visible text={one.rule} />”
                  </>
                ) : (
                  "no rule matches"
                )}
              </span>
            </p>
            {one.comment && (
              <p className="text-small break-words">
                <Visible text={one.comment} />
              </p>
            )}
            {one.diff && one.diff.length > 0 && (
              <div className="mt-1.5">
                <Diff changes={one.diff} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ByRule({ result }: { result: Backtest }) {
  const rows = result.by_rule.filter((rule) => rule.subjects > 0);
  if (rows.length === 0) return null;
  const fills = { approve: "bg-ok-fill", ask: "bg-warn-fill", deny: "bg-bad-fill", none: "bg-border-strong" };
  const name = (rule: string) => rule || "No rule matches";
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Card title="Cases by deciding rule">
        <Bars
          head="Rule"
          unit="Cases"
          rows={rows.map((rule) => ({
            label: name(rule.rule),
            value: rule.subjects,
            text: format.count(rule.subjects),
            fill: fills[rule.effect],
          }))}
        />
        <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
          <Key fill="bg-ok-fill">approves</Key>
          <Key fill="bg-warn-fill">asks</Key>
          <Key fill="bg-bad-fill">refuses</Key>
        </p>
      </Card>
      <Card title="Reviewer time saved by rule">
        {rows.every((rule) => rule.minutes_saved <= 0) ? (
          <p className="text-muted">No rule would save time.</p>
        ) : (
          <Bars
            head="Rule"
            unit="Time saved"
            rows={rows
              .filter((rule) => rule.minutes_saved > 0)
              .map((rule) => ({
                label: name(rule.rule),
                value: rule.minutes_saved,
                text: hours(rule.minutes_saved),
              }))}
          />
        )}
      </Card>
    </div>
  );
}

function Key({ fill, children }: { fill: string; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={`size-2.5 rounded-[3px] ${fill}`} /> {children}
    </span>
  );
}
