import { useState } from "react";
import { type Column, dayText, roundUp, type Series, shortDay, sum } from "./days";

const height = 160;

/** A stacked bar for each day. The same numbers are in a table, as an accessible alternative. */
export function DayBars(props: {
  columns: Column[];
  series: Series[];
  /** The chart in a sentence. */
  summary: string;
  /** A number with its unit. */
  show: (value: number) => string;
  /** A day in words; the numbers by default. */
  say?: (column: Column, index: number) => string;
  /** A row of the table: one cell for each series. */
  cell?: (index: number, series: number) => string;
}) {
  const { columns, series, summary, show } = props;
  const [table, setTable] = useState(false);
  const [at, setAt] = useState<number>();
  const used = series.map((_, s) => columns.some((c) => (c.values[s] ?? 0) > 0));
  const shown = series.map((s, i) => ({ ...s, i })).filter(({ i }) => used[i]);
  const here = at === undefined ? undefined : columns[at];
  const say = props.say ?? ((column: Column) => dayText(column, series));
  return (
    <figure>
      <div className="mb-2 flex items-start gap-2">
        <figcaption className="min-w-0 flex-1 text-small text-muted">{summary}</figcaption>
        {shown.length > 0 && (
          <button
            type="button"
            aria-pressed={table}
            onClick={() => setTable(!table)}
            className="h-7 shrink-0 rounded-sm px-2 text-small text-muted hover:bg-hover hover:text-text aria-pressed:bg-accent-bg aria-pressed:text-accent-text pointer-coarse:h-11"
          >
            Table
          </button>
        )}
      </div>
      {shown.length > 0 && !table && (
        <>
          <Bars columns={columns} series={series} show={show} at={at} onAt={setAt} label={summary} />
          <p aria-hidden className="mt-1 min-h-8 text-small">
            {here && at !== undefined ? (
              say(here, at)
            ) : (
              <span className="text-muted">Hover over a day for details.</span>
            )}
          </p>
          {shown.length > 1 && (
            <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-small text-muted">
              {shown.map(({ key, label, dot }) => (
                <li key={key} className="flex items-center gap-1.5">
                  <span aria-hidden className={`size-2.5 rounded-[3px] ${dot}`} />
                  {label}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {table && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        <div tabIndex={0} role="group" aria-label="Table" className="max-h-72 overflow-auto rounded-sm border">
          <table className="w-full text-small">
            <caption className="sr-only">{summary}</caption>
            <thead className="sticky top-0 bg-sunken">
              <tr>
                <th scope="col" className="px-3 py-1.5 text-left font-medium">
                  Day (UTC)
                </th>
                {shown.map(({ key, label }) => (
                  <th key={key} scope="col" className="px-3 py-1.5 text-right font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y">
              {columns.map((column, c) => (
                <tr key={column.day}>
                  <th scope="row" className="px-3 py-1 text-left font-normal whitespace-nowrap">
                    {shortDay(column.day)}
                  </th>
                  {shown.map(({ key, i }) => (
                    <td key={key} className="px-3 py-1 text-right">
                      {props.cell?.(c, i) ?? show(column.values[i] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  );
}

function Bars(props: {
  columns: Column[];
  series: Series[];
  show: (value: number) => string;
  at: number | undefined;
  onAt: (index: number | undefined) => void;
  label: string;
}) {
  const { columns, series, show, at, onAt, label } = props;
  const top = roundUp(Math.max(...columns.map((c) => sum(c.values))));
  const slot = 100 / columns.length;
  const point = (event: React.PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * columns.length);
    onAt(Math.min(columns.length - 1, Math.max(0, index)));
  };
  const middle = columns[Math.floor((columns.length - 1) / 2)];
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-2">
      <div aria-hidden className="flex flex-col justify-between text-right text-meta text-muted" style={{ height }}>
        <span>{show(top)}</span>
        <span>{show(0)}</span>
      </div>
      {/* Widths in per cent: it fits every width without being measured, and nothing is stretched. */}
      <svg
        role="img"
        aria-label={label}
        width="100%"
        height={height}
        className="touch-pan-y"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => onAt(undefined)}
      >
        {[0, 0.5, 1].map((share) => (
          <line
            key={share}
            x1="0"
            x2="100%"
            y1={Math.min(height - 0.5, share * height + 0.5)}
            y2={Math.min(height - 0.5, share * height + 0.5)}
            className="stroke-border"
          />
        ))}
        {at !== undefined && (
          <rect x={`${at * slot}%`} y="0" width={`${slot}%`} height={height} className="fill-hover" />
        )}
        {columns.map((column, c) => {
          let y = height;
          return column.values.map((value, s) => {
            if (value <= 0) return null;
            const tall = Math.max(2, (value / top) * height);
            y -= tall;
            return (
              <rect
                key={`${column.day} ${series[s]?.key}`}
                x={`${(c + 0.12) * slot}%`}
                width={`${slot * 0.76}%`}
                y={y}
                height={Math.max(1, tall - 1)}
                rx="1"
                className={series[s]?.fill}
              />
            );
          });
        })}
      </svg>
      <span />
      <div aria-hidden className="flex justify-between pt-1 text-meta text-muted">
        <span>{shortDay(columns[0]?.day ?? "")}</span>
        {columns.length > 4 && middle && <span>{shortDay(middle.day)}</span>}
        <span>{shortDay(columns.at(-1)?.day ?? "")}</span>
      </div>
    </div>
  );
}
