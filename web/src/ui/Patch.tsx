import { cn } from "../lib/cn";
import { AllLines } from "./AllLines";
import { CopyButton } from "./CopyButton";
import { marked } from "./Visible";

const linesMax = 3000; // as many as a browser draws at once without freezing

/** Whether a text is a unified diff: files with hunks. */
export function isPatch(text: string): boolean {
  return /^(?:diff --git .*|--- .*\n\+\+\+ .*)$/m.test(text) && /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/m.test(text);
}

/** A unified diff, coloured; every line as written. */
export function Patch({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  if (lines.length > linesMax) return <AllLines text={text} label="The changes" />;
  return (
    <div className="relative rounded-sm border bg-surface">
      <div className="absolute top-1 right-1 z-10">
        <CopyButton text={text} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scroll areas must be reachable by keyboard
        tabIndex={0}
        className="max-h-[70vh] overflow-auto py-1 text-small leading-[18px]"
      >
        {lines.map((line, i) => (
          <div key={i} className={cn("px-3 break-words whitespace-pre-wrap", colourOf(line))}>
            {line === "" ? "\u00a0" : marked(line)}
          </div>
        ))}
      </pre>
    </div>
  );
}

function colourOf(line: string): string | undefined {
  if (/^(diff |index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line))
    return "bg-sunken font-semibold";
  if (line.startsWith("@@")) return "bg-info-bg text-info-text";
  if (line.startsWith("+")) return "bg-ok-bg text-ok-text";
  if (line.startsWith("-")) return "bg-bad-bg text-bad-text";
  return undefined;
}
