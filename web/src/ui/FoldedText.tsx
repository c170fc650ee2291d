import { useState } from "react";
import { cn } from "../lib/cn";
import { format } from "../words";
import { Button } from "./Button";
import { CodeBlock } from "./CodeBlock";

const headMax = 200;

/** The head of a message: its first line, shortened if long. rest is undefined if that was all. */
export function headOf(text: string): { head: string; rest?: string } {
  const whole = text.trim();
  const [first = ""] = whole.split("\n", 1);
  if (first === whole && first.length <= headMax) return { head: whole };
  if (first.length <= headMax) return { head: first.trimEnd(), rest: whole };
  const cut = first.slice(0, headMax).replace(/[\ud800-\udbff]$/, ""); // never inside a surrogate pair
  const space = cut.lastIndexOf(" ");
  return { head: `${(space > headMax / 2 ? cut.slice(0, space) : cut).trimEnd()} …`, rest: whole };
}

/** A machine's message, which may be a page long: its head, and all of it, as received, on demand. */
export function FoldedText({ text, className }: { text: string; className?: string }) {
  const [all, setAll] = useState(false);
  const { head, rest } = headOf(text);
  if (rest === undefined)
    return (
      <p dir="auto" className={cn("break-words", className)}>
        {head}
      </p>
    );
  const lines = rest.split("\n").length;
  return (
    <div className="min-w-0">
      <p dir="auto" className={cn("break-words", className)}>
        {head}
      </p>
      <Button
        look="ghost"
        size="small"
        aria-expanded={all}
        onClick={() => setAll(!all)}
        className="-ml-2 text-current underline"
      >
        {all ? "Show less" : lines > 1 ? `Show all ${format.count(lines)} lines` : "Show all"}
      </Button>
      {all && <CodeBlock text={rest} className="mt-1 font-normal text-text" />}
    </div>
  );
}
