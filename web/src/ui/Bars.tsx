export interface BarRow {
  label: string;
  value: number;
  /** The value with its unit. */
  text: string;
  title?: string;
  fill?: string;
}

interface Props {
  rows: BarRow[];
  head: string;
  unit: string;
  /** The value of a full bar; the largest one by default. */
  max?: number;
}

/** Bars beside their names and numbers. It is a table, so everything in it is accessible. */
export function Bars({ rows, head, unit, max }: Props) {
  const top = max ?? Math.max(...rows.map((row) => row.value), 0);
  return (
    <table className="w-full text-control">
      <caption className="sr-only">
        {head}, {unit}
      </caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">{unit}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.label} title={row.title}>
            <th scope="row" title={row.label} className="max-w-44 truncate py-1 pr-3 text-left font-normal text-muted">
              {row.label}
            </th>
            <td className="w-full py-1">
              <span className="flex items-center gap-2">
                <span className="h-3 min-w-0 flex-1">
                  {row.value > 0 && (
                    <span
                      className={`block h-full min-w-[3px] rounded-[3px] ${row.fill ?? "bg-accent"}`}
                      style={{ width: `${top > 0 ? (row.value / top) * 100 : 0}%` }}
                    />
                  )}
                </span>
                <span className="min-w-10 text-right">{row.text}</span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
