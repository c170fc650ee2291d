import type { Change } from "../api/types";
import { plainText, pretty, type Raw, textOf, treeOf } from "../json";
import { marked, Visible } from "../ui/Visible";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { type Piece, wordsDiff } from "./diff";
import { placeOf, type Schema } from "./schema";

const ops: Record<string, string> = { add: "added", remove: "taken out", replace: "changed" };

/** Changes field by field; in longer texts, the words that differ. */
export function ChangeList({ changes, schema = {} }: { changes: Change[]; schema?: Schema }) {
  if (changes.length === 0) return <p className="text-muted">No changes.</p>;
  return (
    <ul className="divide-y rounded-sm border text-small">
      {changes.map((change, i) => (
        <li key={i} className="p-2.5">
          <div className="mb-1 flex flex-wrap gap-x-2">
            <span className="min-w-0 font-medium break-words">
              <Visible text={placeOf(change.path, schema).labels.join(" › ") || "Everything"} />
            </span>
            <span className="text-muted">{ops[change.op] ?? change.op}</span>
          </div>
          <Sides change={change} />
        </li>
      ))}
    </ul>
  );
}

const wordsFrom = 60; // characters; shorter ones are easier to read side by side

function Sides({ change }: { change: Change }) {
  const from = change.op === "add" ? undefined : shown(change.from);
  const to = change.op === "remove" ? undefined : shown(change.to);
  const pieces =
    from !== undefined && to !== undefined && Math.max(from.length, to.length) > wordsFrom
      ? wordsDiff(from, to)
      : undefined;
  if (pieces) return <Words pieces={pieces} />;
  return (
    <div className="space-y-0.5">
      {from !== undefined && <Side text={from} label="Before: " sign="−" className="bg-bad-bg text-bad-text" />}
      {to !== undefined && <Side text={to} label="After: " sign="+" className="bg-ok-bg text-ok-text" />}
    </div>
  );
}

function shown(value: Raw | null | undefined): string {
  try {
    const tree = treeOf(value);
    return tree.kind === "object" || tree.kind === "array" ? pretty(tree) : plainText(tree);
  } catch {
    return textOf(value); // half typed: shown as is
  }
}

function Side({ text, label, sign, className }: { text: string; label: string; sign: string; className: string }) {
  return (
    <div className={`flex gap-2 rounded-[4px] px-2 py-0.5 ${className}`}>
      <span aria-hidden>{sign}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
      <span dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
        {text === "" ? <em>empty</em> : marked(text)}
      </span>
    </div>
  );
}

function Words({ pieces }: { pieces: Piece[] }) {
  return (
    <div dir="auto" className="rounded-[4px] bg-sunken px-2 py-1 break-words whitespace-pre-wrap">
      {pieces.map((piece, i) => {
        if (piece.kind === "out")
          return (
            <del key={i} className="bg-bad-bg text-bad-text">
              {marked(piece.text)}
            </del>
          );
        if (piece.kind === "in")
          return (
            <ins key={i} className="bg-ok-bg text-ok-text no-underline">
              {marked(piece.text)}
            </ins>
          );
        return <span key={i}>{marked(piece.text)}</span>;
      })}
    </div>
  );
}
