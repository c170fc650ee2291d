import type { Change } from "../api/types";
import { plainText, treeOf } from "../json";
import { marked, Visible } from "./Visible";
import { VisuallyHidden } from "./VisuallyHidden";

const ops: Record<string, string> = { add: "added", remove: "removed", replace: "changed" };

/** The words of a document's fields: its data has none. */
export interface DiffWords {
  /** The name of a field. */
  name: (pointer: string) => string;
  /** Its values before and after. */
  values: (change: Change) => [string, string];
}

/** Changes place by place: before in red, after in green, both in full. */
export function Diff({ changes, words = asWritten }: { changes: Change[]; words?: DiffWords }) {
  if (changes.length === 0) return <p className="text-muted">No changes.</p>;
  return (
    <ul className="divide-y rounded-sm border text-small">
      {changes.map((change, i) => {
        const [before, after] = words.values(change);
        return (
          <li key={i} className="p-2">
            <div className="mb-1 flex gap-2">
              <span className="min-w-0 font-medium break-words">
                <Visible text={words.name(change.path)} />
              </span>
              <span className="text-muted">{ops[change.op] ?? change.op}</span>
            </div>
            {change.op !== "add" && (
              <Side text={before} label="Before: " className="bg-bad-bg text-bad-text" sign="−" />
            )}
            {change.op !== "remove" && <Side text={after} label="After: " className="bg-ok-bg text-ok-text" sign="+" />}
          </li>
        );
      })}
    </ul>
  );
}

function Side({ text, label, className, sign }: { text: string; label: string; className: string; sign: string }) {
  return (
    <div className={`flex gap-2 rounded-[4px] px-2 py-0.5 ${className}`}>
      <span aria-hidden>{sign}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
      <span dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
        {marked(text)}
      </span>
    </div>
  );
}

/** "/items/0/price" → "items › 0 › price" */
function place(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts.map((p) => p.replaceAll("~1", "/").replaceAll("~0", "~")).join(" › ") || "everything";
}

const asWritten: DiffWords = {
  name: place,
  values: ({ from, to }) => [plainText(treeOf(from)), plainText(treeOf(to))],
};
