import type { Change } from "../api/types";
import { compact, plainText, type Raw, type Tree, treeOf } from "../json";
import { JsonView } from "../ui";
import { FoldedText } from "../ui/FoldedText";
import { Visible } from "../ui/Visible";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { format } from "../words";

const ops: Record<string, string> = { add: "added", remove: "taken out", replace: "changed" };

/** One change: its place, the old and the new value. Small values are inline, large ones expand on demand. */
export function ChangeView({ change: { path, op, from, to } }: { change: Change }) {
  // "1" and 1 read the same: then show them as JSON.
  const written = op === "replace" && inline(treeOf(from)) === inline(treeOf(to));
  return (
    <li className="p-2">
      <div className="mb-1 flex gap-2">
        <span className="min-w-0 font-medium break-words">
          <Visible text={place(path)} />
        </span>
        <span className="text-muted">{ops[op] ?? op}</span>
      </div>
      {op !== "add" && (
        <Side value={from} written={written} label="Before: " sign="−" className="bg-bad-bg text-bad-text" />
      )}
      {op !== "remove" && (
        <Side value={to} written={written} label="After: " sign="+" className="bg-ok-bg text-ok-text" />
      )}
    </li>
  );
}

interface SideProps {
  value: Raw | null | undefined;
  written: boolean;
  label: string;
  sign: string;
  className: string;
}

function Side({ value, written, label, sign, className }: SideProps) {
  return (
    <div className={`flex gap-2 rounded-[4px] px-2 py-0.5 ${className}`}>
      <span aria-hidden>{sign}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
      <Value value={value} written={written} />
    </div>
  );
}

function Value({ value, written }: Pick<SideProps, "value" | "written">) {
  const tree = treeOf(value);
  const line = written && isSimple(tree) ? compact(tree) : inline(tree);
  if (line !== undefined)
    return (
      <span dir="auto" className="min-w-0 break-words whitespace-pre-wrap">
        <Visible text={line} />
      </span>
    );
  if (tree.kind === "string") return <FoldedText text={tree.value} />;
  return (
    <details className="min-w-0 flex-1">
      <summary className="cursor-pointer pointer-coarse:min-h-11 pointer-coarse:leading-11">{sizeOf(tree)}</summary>
      <JsonView value={value} className="mt-1 text-text" />
    </details>
  );
}

const lineMax = 120;

/** A value in one line, if it fits: texts as they are, objects as "name: value, name: value". */
export function inline(tree: Tree): string | undefined {
  const text = words(tree);
  if (text === undefined || text.length > lineMax || text.includes("\n")) return undefined;
  return text;
}

function words(tree: Tree): string | undefined {
  if (tree.kind === "object") {
    if (tree.members.length === 0) return "nothing in it";
    const parts = tree.members.map(({ key, value }) => (isSimple(value) ? `${key}: ${plainText(value)}` : undefined));
    return parts.includes(undefined) ? undefined : parts.join(", ");
  }
  if (tree.kind === "array") {
    if (tree.items.length === 0) return "an empty list";
    return tree.items.every(isSimple) ? tree.items.map(plainText).join(", ") : undefined;
  }
  return plainText(tree);
}

function isSimple(tree: Tree): boolean {
  return tree.kind !== "object" && tree.kind !== "array";
}

function sizeOf(tree: Tree): string {
  const bytes = format.bytes(new TextEncoder().encode(compact(tree)).length);
  if (tree.kind === "array") return `A list of ${format.count(tree.items.length)}, ${bytes}`;
  return tree.kind === "object" ? `${format.plural(tree.members.length, "value")}, ${bytes}` : bytes;
}

/** "/items/0/price" → "items › 0 › price" */
function place(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts.map((p) => p.replaceAll("~1", "/").replaceAll("~0", "~")).join(" › ") || "All of it";
}
