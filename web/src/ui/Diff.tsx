import type { Change } from "../api/types";
import { plainText, type Raw, treeOf } from "../json";
import { marked, Visible } from "./Visible";
import { VisuallyHidden } from "./VisuallyHidden";

const ops: Record<string, string> = { add: "added", remove: "removed", replace: "changed" };

/** Changes place by place: before in red, after in green, both in full. */
export function Diff({ changes }: { changes: Change[] }) {
  if (changes.length === 0) return <p className="text-muted">No changes.</p>;
  return (
    <ul className="divide-y rounded-sm border text-small">
      {changes.map((change, i) => (
        <li key={i} className="p-2">
          <div className="mb-1 flex gap-2">
            <span className="min-w-0 font-medium break-words">
              <Visible text={place(change.path)} />
            </span>
            <span className="text-muted">{ops[change.op] ?? change.op}</span>
          </div>
          {change.op !== "add" && (
            <Side value={change.from} label="Before: " className="bg-bad-bg text-bad-text" sign="−" />
          )}
          {change.op !== "remove" && (
            <Side value={change.to} label="After: " className="bg-ok-bg text-ok-text" sign="+" />
          )}
        </li>
      ))}
    </ul>
  );
}

function Side({
  value,
  label,
  className,
  sign,
}: {
  value?: Raw | null;
  label: string;
  className: string;
  sign: string;
}) {
  return (
    <div className={`flex gap-2 rounded-[4px] px-2 py-0.5 ${className}`}>
      <span aria-hidden>{sign}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
      <span dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
        {marked(plainText(treeOf(value)))}
      </span>
    </div>
  );
}

/** "/items/0/price" → "items › 0 › price" */
function place(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts.map((p) => p.replaceAll("~1", "/").replaceAll("~0", "~")).join(" › ") || "everything";
}
