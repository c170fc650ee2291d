import { useEffect, useMemo, useState } from "react";
import { aside } from "../json/aside";
import { type Rows, rowAt, rowsOf } from "../json/rows";
import { format } from "../words";
import { CopyButton } from "./CopyButton";
import { ErrorNote } from "./ErrorNote";
import { Skeleton } from "./Skeleton";
import { marked } from "./Visible";

const rowHeight = 18;
const boxHeight = 480;
const spare = 20; // rows drawn above and below the visible ones
const highest = 8_000_000; // pixels: browsers clip elements that are much taller
const atOnce = 200_000; // characters laid out synchronously; longer texts in a worker

interface Props {
  text: string;
  label: string;
  /** The text is JSON, to be indented. */
  json?: boolean;
  /** Called when it can be read, from the first row to the last. */
  onShown?: () => void;
}

/** A text of any length, all of it present: only visible rows are drawn. */
export function AllLines({ text, label, json = false, onShown }: Props) {
  const { rows, error } = useRows(text, json);
  useEffect(() => {
    if (rows) onShown?.();
  }, [rows, onShown]);
  if (error) return <ErrorNote error={error} />;
  return rows ? <Drawn rows={rows} label={label} /> : <Skeleton className="h-120" />;
}

function useRows(text: string, json: boolean): { rows?: Rows; error?: Error } {
  const short = useMemo(
    () => (!json && text.length <= atOnce ? { text, rows: rowsOf(text) } : undefined),
    [text, json],
  );
  const [long, setLong] = useState<{ text: string; rows?: Rows; error?: Error }>();
  useEffect(() => {
    if (short) return;
    let wanted = true;
    aside(json ? "json" : "rows", text).then(
      (rows) => wanted && setLong({ text, rows }),
      (error: Error) => wanted && setLong({ text, error }),
    );
    return () => {
      wanted = false;
    };
  }, [text, json, short]);
  return short ?? (long?.text === text ? long : {});
}

function Drawn({ rows, label }: { rows: Rows; label: string }) {
  const [top, setTop] = useState(0);
  const count = rows.starts.length;
  const full = count * rowHeight;
  const height = Math.min(full, highest);
  const box = Math.min(boxHeight, height + 24);
  // If the element is shorter than its rows, scrolling moves over them faster.
  const seen = full === height ? top : (top * (full - box)) / Math.max(1, height - box);
  const first = Math.max(0, Math.floor(seen / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((seen + boxHeight) / rowHeight) + spare);
  return (
    <div className="relative rounded-sm border bg-sunken">
      <div className="absolute top-1 right-4 z-10">
        <CopyButton text={rows.text} />
      </div>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        className="overflow-auto"
        style={{ height: box }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <pre className="relative w-max min-w-full px-3" style={{ height }}>
          {Array.from({ length: last - first }, (_, i) => (
            <div
              key={first + i}
              className="absolute leading-[18px] whitespace-pre"
              style={{ top: (first + i) * rowHeight - seen + top }}
            >
              {marked(rowAt(rows, first + i))}
            </div>
          ))}
        </pre>
      </section>
      <p className="border-t px-3 py-1 text-small text-muted">{format.plural(count, "line")}, all of it</p>
    </div>
  );
}
