import { ChartColumn } from "lucide-react";
import { useUsageOfAgent } from "../api/agents";
import { EmptyState, ErrorNote, SkeletonRows, Time } from "../ui";
import { DayBars } from "../ui/DayBars";
import { type Column, longDay, type Series } from "../ui/days";
import { format } from "../words";
import { countedSince } from "./model";

const cost: Series = { key: "cost", label: "Cost", fill: "fill-accent", dot: "bg-accent" };
const steps: Series = { key: "steps", label: "Steps", fill: "fill-accent", dot: "bg-accent" };

/** What an agent did in the last 30 days, and what it cost. */
export function AgentUsage({ name }: { name: string }) {
  const { data, error } = useUsageOfAgent(name);
  if (error) return <ErrorNote error={error} />;
  if (!data) return <SkeletonRows rows={4} />;
  const since = countedSince(data.counted_since);
  if (data.runs === 0)
    return (
      <EmptyState icon={ChartColumn} title="Not used in the last 30 days">
        Its runs, steps and cost appear here once it has worked. Test runs don't count. {since}
      </EmptyState>
    );
  const paid = Number(data.cost_usd) > 0;
  const show = (n: number) => (paid ? (n === 0 ? "$0" : `$${Number(n.toPrecision(2))}`) : format.count(n));
  const columns: Column[] = data.days.map((d) => ({ day: d.day, values: [paid ? Number(d.cost_usd) : d.steps] }));
  const figures: [string, string][] = [
    ["Runs", format.count(data.runs)],
    ["Steps", format.count(data.steps)],
    ["Failed steps", format.count(data.failed_steps)],
    ["Model calls", format.count(data.llm_calls)],
    ["Tokens read", format.count(data.tokens_in)],
    ["Tokens written", format.count(data.tokens_out)],
    ["Cost", format.money(data.cost_usd)],
  ];
  return (
    <>
      <p className="mb-3 text-small text-muted">
        Last 30 days, without test runs. {since} Last used <Time at={data.last_used_at} />.
      </p>
      <dl className="mb-4 grid grid-cols-2 gap-x-4 gap-y-2 sm:grid-cols-4">
        {figures.map(([label, value]) => (
          <div key={label}>
            <dt className="text-small text-muted">{label}</dt>
            <dd className="font-semibold">{value}</dd>
          </div>
        ))}
      </dl>
      <DayBars
        columns={columns}
        series={[paid ? cost : steps]}
        summary={paid ? "Cost by day" : "Steps by day"}
        show={show}
        cell={paid ? (i) => format.money(data.days[i]?.cost_usd) : undefined}
        say={(column, i) => {
          const day = data.days[i];
          return `${longDay(column.day)}: ${
            day && day.runs > 0
              ? `${format.plural(day.runs, "run")}, ${format.plural(day.steps, "step")}, ${format.money(day.cost_usd)}`
              : "not used"
          }`;
        }}
      />
    </>
  );
}
