import { useState } from "react";
import { AllLines } from "../ui/AllLines";
import { Markdown } from "../ui/Markdown";
import { isPatch, Patch } from "../ui/Patch";
import { marked } from "../ui/Visible";

/** Longer texts are drawn row by row. */
const longest = 20_000;

/** Whether a text was written as Markdown: it needs several signs, since a single "#" can mean anything. */
export function isMarkdown(text: string): boolean {
  if (!text.includes("\n")) return false;
  const signs = [
    /^#{1,6} \S.*\n\s*\n/m, // a heading with a blank line after it
    /^\|.+\|\s*\n\|[\s:|-]+\|/m,
    /^```[^`]*\n[\s\S]*?^```/m,
    /\*\*[^*\n]+\*\*/,
    /\[[^\]\n]+\]\(https?:\/\/[^)\s]+\)/,
    /^(?:[-*] \S.*\n){2}/m,
    /`[^`\n]+`/,
  ];
  return signs.filter((sign) => sign.test(text)).length > 1;
}

/**
 * A text under decision: all of it, formatted as intended. Patches are coloured, documents rendered; the source on
 * demand.
 */
export function TextValue({ text }: { text: string }) {
  const [plain, setPlain] = useState(false);
  if (text.length > longest) return <AllLines text={text} label="The text" />;
  const kind = isPatch(text) ? "patch" : isMarkdown(text) ? "markdown" : undefined;
  if (!kind) return <Written text={text} />;
  return (
    <div className="min-w-0">
      {plain ? (
        <Written text={text} />
      ) : kind === "patch" ? (
        <Patch text={text} />
      ) : (
        <div className="rounded-sm border p-3">
          <Markdown text={text} />
        </div>
      )}
      <button
        type="button"
        aria-pressed={plain}
        className="mt-1 text-small text-accent-text hover:underline pointer-coarse:min-h-11"
        onClick={() => setPlain(!plain)}
      >
        {plain ? (kind === "patch" ? "Show as changes" : "Show as a document") : "Show as written"}
      </button>
    </div>
  );
}

function Written({ text }: { text: string }) {
  return (
    <div dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
      {marked(text)}
    </div>
  );
}
