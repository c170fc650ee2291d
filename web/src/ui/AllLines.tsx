import { useMemo, useState } from "react";
import { format } from "../words";
import { CopyButton } from "./CopyButton";
import { marked } from "./Visible";

const rowHeight = 18;
const boxHeight = 480;
const spare = 20; // rows drawn above and below what is seen
const widest = 200; // signs in a row; longer lines go on in the next

/** A long text, all of it there, however long: only the rows in sight are drawn. */
export function AllLines({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => rowsOf(text), [text]);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((top + boxHeight) / rowHeight) + spare);
  return (
    <div className="relative rounded-sm border bg-sunken">
      <div className="absolute top-1 right-4 z-10">
        <CopyButton text={text} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="overflow-auto"
        style={{ height: Math.min(boxHeight, rows.length * rowHeight + 24) }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <pre className="relative w-max min-w-full px-3" style={{ height: rows.length * rowHeight }}>
          {rows.slice(first, last).map((row, i) => (
            <div
              key={first + i}
              className="absolute leading-[18px] whitespace-pre"
              style={{ top: (first + i) * rowHeight }}
            >
              {marked(row)}
            </div>
          ))}
        </pre>
      </section>
      <p className="border-t px-3 py-1 text-small text-muted">{format.plural(rows.length, "line")}, all of it</p>
    </div>
  );
}

/** Lines, none longer than a row; a pair of code units that is one sign stays together. */
export function rowsOf(text: string): string[] {
  const rows: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length <= widest) {
      rows.push(line);
      continue;
    }
    for (let at = 0; at < line.length; ) {
      let end = Math.min(line.length, at + widest);
      if (end < line.length && /[\uD800-\uDBFF]/.test(line[end - 1] ?? "")) end++;
      rows.push(line.slice(at, end));
      at = end;
    }
  }
  return rows;
}
