import type { ApprovalStatus, Insights, RunStatus } from "../api/types";
import type { BarRow } from "../ui/Bars";
import { type Column, type Series, sum } from "../ui/days";
import { format, runStatus } from "../words";

export const ranges = { "7": "7 days", "30": "30 days", "90": "90 days" } as const;
export type Range = keyof typeof ranges;

export function rangeOf(text: string | undefined): Range {
  return text !== undefined && Object.hasOwn(ranges, text) ? (text as Range) : "30";
}

interface Outcome extends Series {
  statuses: ApprovalStatus[];
}

/** How approvals end, grouped for the chart: yes at the bottom, no above, the rest on top. */
export const outcomes: Outcome[] = [
  {
    key: "yes",
    label: "Approved by people",
    statuses: ["approved", "chosen", "submitted"],
    fill: "fill-ok-fill",
    dot: "bg-ok-fill",
  },
  {
    key: "changed",
    label: "Approved with changes",
    statuses: ["modified"],
    fill: "fill-info-text",
    dot: "bg-info-text",
  },
  { key: "rule", label: "Approved by rules", statuses: ["auto_approved"], fill: "fill-accent", dot: "bg-accent" },
  { key: "back", label: "Sent back", statuses: ["revision_requested"], fill: "fill-muted", dot: "bg-muted" },
  { key: "no", label: "Rejected", statuses: ["rejected"], fill: "fill-bad-fill", dot: "bg-bad-fill" },
  { key: "late", label: "Timed out", statuses: ["timed_out"], fill: "fill-warn-fill", dot: "bg-warn-fill" },
  {
    key: "gone",
    label: "Cancelled",
    statuses: ["cancelled"],
    fill: "fill-border-strong",
    dot: "bg-border-strong",
  },
];

export function outcomeColumns(days: Insights["days"]): Column[] {
  return days.map(({ day, settled }) => ({
    day,
    values: outcomes.map(({ statuses }) => statuses.reduce((n, s) => n + (settled[s] ?? 0), 0)),
  }));
}

/** "18 % more than", "as many as": a figure compared with another; before is not 0. */
export function changeText(now: number, before: number): string {
  const change = (now - before) / before;
  if (now === before) return "The same as in";
  const share = Math.abs(change);
  const much = share >= 10 ? `${format.count(Math.round(now / before))} times` : format.percent(share);
  if (share >= 10) return `${much} that of`;
  return `${much} ${change > 0 ? "more" : "less"} than in`;
}

const shortest = 7;

/** Days from the first with any activity, at least a week: no chart is mostly empty. */
export function sinceTheFirst(days: Insights["days"]): Insights["days"] {
  const busy = (day: Insights["days"][number]) =>
    sum(Object.values(day.settled)) + sum(Object.values(day.runs)) + Number(day.cost_usd) > 0;
  const first = days.findIndex(busy);
  return first < 0 ? days : days.slice(Math.max(0, Math.min(first, days.length - shortest)));
}

export type Row = BarRow;

/** "under 1 min", "1 to 5 min" …: how long people took to decide. */
export function waitRows(waits: Insights["decided"]["waits"]): Row[] {
  return waits.map(({ under_s, count }, i) => {
    const from = i > 0 ? waits[i - 1]?.under_s : undefined;
    const least = from ? format.duration(from * 1000) : undefined;
    const label =
      under_s === null
        ? `${least} or longer`
        : least
          ? `${least} to ${format.duration(under_s * 1000)}`
          : `under ${format.duration(under_s * 1000)}`;
    return { label, value: count, text: format.count(count) };
  });
}

const tones: Record<string, string> = {
  ok: "bg-ok-fill",
  bad: "bg-bad-fill",
  warn: "bg-warn-fill",
  info: "bg-accent",
  neutral: "bg-border-strong",
};

export function runRows(byStatus: Record<string, number>): Row[] {
  return (Object.keys(runStatus) as RunStatus[])
    .map((status): Row => {
      const word = runStatus[status];
      const value = byStatus[status] ?? 0;
      return {
        label: word.label,
        title: word.sentence,
        value,
        text: format.count(value),
        fill: tones[word.tone],
      };
    })
    .filter((row) => row.value > 0)
    .sort((a, b) => b.value - a.value);
}

export function costRows(workflows: Insights["workflows"]): Row[] {
  return workflows
    .map((w) => ({
      label: format.title(w.workflow),
      value: Number(w.cost_usd),
      text: format.money(w.cost_usd),
      title: format.plural(sum(Object.values(w.runs)), "run"),
    }))
    .filter((row) => row.value > 0)
    .sort((a, b) => b.value - a.value);
}

const failuresShown = 8;

/** Failures by agent. The rows add up to the total: the rest are other agents, and steps without an agent. */
export function failureRows(agents: Insights["agents"], total: number): Row[] {
  const row = (label: string, value: number, title?: string): Row => ({
    label,
    value,
    text: format.count(value),
    title,
    fill: "bg-bad-fill",
  });
  const named = agents.filter((a) => a.agent !== "" && a.failures > 0).sort((a, b) => b.failures - a.failures);
  const others = named.slice(failuresShown);
  const none = total - sum(named.map((a) => a.failures));
  return [
    ...named.slice(0, failuresShown).map((a) => row(format.title(a.agent), a.failures)),
    ...(others.length > 0
      ? [row(format.plural(others.length, "other agent"), sum(others.map((a) => a.failures)))]
      : []),
    ...(none > 0 ? [row("No agent", none, "Sub-runs and questions to people have no agent.")] : []),
  ];
}

const failureWords: Record<string, string> = {
  failed: "Agent failed",
  timeout: "Timed out",
  rejected: "Rejected by a reviewer",
  denied: "Refused by a policy rule",
  child_failed: "A sub-run failed",
  unreachable: "Not reachable",
  invalid_output: "Invalid output",
  cancelled: "Cancelled",
};

/** The label of a kind of failure. */
export function failureWord(code: string): string {
  return failureWords[code] ?? (format.title(code) || "Not told");
}
