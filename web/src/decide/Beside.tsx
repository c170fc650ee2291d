import { Check, EqualNot } from "lucide-react";
import { cn } from "../lib/cn";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import type { Evidence } from "./evidence";
import { wordsOf } from "./typed";

/** Evidence for a field, shown beside it: the same value, or a different one. */
export function Beside({ field, evidence }: { field: string; evidence: Evidence[] | undefined }) {
  if (!evidence) return null;
  return (
    <ul className="mt-0.5 space-y-0.5">
      {evidence.map((one) => (
        <li key={`${one.from} ${one.text}`}>
          <Compared field={field} evidence={one} />
        </li>
      ))}
    </ul>
  );
}

/** "✓ same as order total", "≠ differs from order total: 1900", "✓ as in the supporting data" */
export function Compared({ field, evidence: { equal, from, text } }: { field: string; evidence: Evidence }) {
  const Icon = equal ? Check : EqualNot;
  const name = from.replace(/^(input|context)\./, "");
  const own = !name.includes(".") && wordsOf(name) === wordsOf(field);
  return (
    <span className={cn("text-small break-words", equal ? "text-muted" : "text-warn-text")}>
      <Icon aria-hidden className={cn("-mt-0.5 mr-1 inline size-3.5", equal && "text-ok-text")} />
      {!equal ? "differs from " : own ? "as in " : "same as "}
      <Visible text={own ? "the supporting data" : place(name)} />
      {!equal && (
        <>
          : <span className="font-medium">{<Visible text={short(text)} />}</span>
        </>
      )}
    </span>
  );
}

/** "order_id" → "order id"; "order.total" → "order total". */
function place(name: string): string {
  return format.title(name).replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
