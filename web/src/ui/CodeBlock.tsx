import { type ReactNode, useMemo, useState } from "react";
import { cn } from "../lib/cn";
import { format } from "../words";
import { Button } from "./Button";
import { CopyButton } from "./CopyButton";
import { marked } from "./Visible";

const linesShown = 40;
/** As many lines and characters as a browser draws at once without freezing. */
const linesMore = 2000;
const signsMore = 200_000;

/**
 * Plain text with a copy button; invisible characters are marked. Long text is visibly folded. children may be the same
 * text with colours.
 */
export function CodeBlock({
  text,
  children,
  className,
  wrap = true,
  whole = false,
}: {
  text: string;
  children?: ReactNode;
  className?: string;
  wrap?: boolean;
  /** Never folded; long text scrolls. For text short enough to be drawn at once. */
  whole?: boolean;
}) {
  const [asked, setAsked] = useState(0);
  const lines = useMemo(() => countLines(text), [text]);
  const foldable = !whole && lines > linesShown + 5;
  const folded = foldable && asked === 0;
  // Very long text comes in pieces; coloured text is short.
  const end = children || whole ? text.length : endOf(text, folded ? linesShown + 5 : linesMore * Math.max(1, asked));
  const left = end < text.length;
  return (
    <div className={cn("relative rounded-sm border bg-sunken", className)}>
      <div className="absolute top-1 right-1 z-10">
        <CopyButton text={text} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        tabIndex={0}
        className={cn(
          "overflow-auto p-3 pr-10 leading-[18px]",
          wrap && "break-words whitespace-pre-wrap",
          folded && "max-h-180 overflow-hidden",
          whole && "max-h-[70vh]",
        )}
      >
        {children ?? marked(left ? text.slice(0, end) : text)}
      </pre>
      {(foldable || left) && (
        <div className="flex flex-wrap items-center gap-2 border-t p-1">
          {folded || left ? (
            <Button look="ghost" size="small" onClick={() => setAsked(asked + 1)}>
              {folded && lines <= linesMore && text.length <= signsMore
                ? `Show all ${format.count(lines)} lines`
                : `Show more of ${format.count(lines)} ${lines === 1 ? "line" : "lines"}`}
            </Button>
          ) : null}
          {asked > 0 && (
            <Button look="ghost" size="small" onClick={() => setAsked(0)}>
              Show less
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** The offset after a number of lines, or after the matching number of characters. */
function endOf(text: string, lines: number): number {
  const most = Math.ceil(lines / linesMore) * signsMore;
  let end = -1;
  for (let n = 0; n < lines; n++) {
    const next = text.indexOf("\n", end + 1);
    if (next < 0) return Math.min(text.length, most);
    if (next > most) return most;
    end = next;
  }
  return end;
}
