import { format } from "../words";

/** One colour of a chart. */
export interface Series {
  key: string;
  label: string;
  /** Classes for SVG and for the legend. */
  fill: string;
  dot: string;
}

export interface Column {
  /** 2026-03-01 */
  day: string;
  /** One number for each series. */
  values: number[];
}

export const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

/** The next round number, for the top of an axis. */
export function roundUp(n: number): number {
  if (n <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(n));
  const step = [1, 2, 2.5, 5, 10].find((s) => s * size >= n) ?? 10;
  return step * size;
}

const dayForm = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const longForm = new Intl.DateTimeFormat("en-GB", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** "3 Nov": the days of the figures are in UTC. */
export function shortDay(day: string): string {
  return dayForm.format(Date.parse(`${day}T00:00:00Z`));
}

export function longDay(day: string): string {
  return longForm.format(Date.parse(`${day}T00:00:00Z`));
}

/** A day's figures in a sentence. */
export function dayText(column: Column, series: Series[]): string {
  const parts = series.flatMap(({ label }, i) => {
    const n = column.values[i] ?? 0;
    return n > 0 ? [`${format.count(n)} ${lower(label)}`] : [];
  });
  return `${longDay(column.day)}: ${parts.join(", ") || "nothing was settled"}`;
}

export function lower(label: string): string {
  return label.charAt(0).toLowerCase() + label.slice(1);
}
