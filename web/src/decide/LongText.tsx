import { useState } from "react";
import { cn } from "../lib/cn";
import { Button } from "../ui/Button";
import { Markdown } from "../ui/Markdown";
import { marked } from "../ui/Visible";
import { format } from "../words";

const charsShown = 1200;
const linesShown = 16;

/**
 * A text as people read it, with invisible characters marked. Very long texts are visibly folded and open in full.
 * markdown renders text that agents write as Markdown.
 */
export function LongText({ text, className, markdown }: { text: string; className?: string; markdown?: boolean }) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n");
  const long = text.length > charsShown * 1.2 || lines.length > linesShown + 4;
  const shown = all || !long ? text : lines.slice(0, linesShown).join("\n").slice(0, charsShown);
  return (
    <div className={cn("min-w-0", className)}>
      {markdown ? (
        <>
          <Markdown text={shown} />
          {long && !all && <span className="text-muted">…</span>}
        </>
      ) : (
        <div dir="auto" className="break-words whitespace-pre-wrap">
          {marked(shown)}
          {long && !all && <span className="text-muted">{" …"}</span>}
        </div>
      )}
      {long && (
        <Button look="ghost" size="small" className="-ml-2 mt-1 text-accent-text" onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all ${format.count([...text].length)} characters`}
        </Button>
      )}
    </div>
  );
}
