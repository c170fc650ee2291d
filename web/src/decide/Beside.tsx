import { Check, EqualNot } from "lucide-react";
import { cn } from "../lib/cn";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import type { Evidence } from "./evidence";

/** Evidence for a field, shown beside it: the same value, or a different one. */
export function Beside({ evidence }: { evidence: Evidence[] | undefined }) {
  if (!evidence) return null;
  return (
    <ul className="mt-0.5 space-y-0.5">
      {evidence.map((one) => (
        <li key={`${one.from} ${one.text}`}>
          <Compared evidence={one} />
        </li>
      ))}
    </ul>
  );
}

/** "✓ same as order total", "≠ differs from order total: 1900" */
export function Compared({ evidence: { equal, from, text } }: { evidence: Evidence }) {
  const Icon = equal ? Check : EqualNot;
  return (
    <span className={cn("text-small break-words", equal ? "text-muted" : "text-warn-text")}>
      <Icon aria-hidden className={cn("-mt-0.5 mr-1 inline size-3.5", equal && "text-ok-text")} />
      {equal ? "same as " : "differs from "}
      <Visible text={place(from)} />
      {!equal && (
        <>
          : <span className="font-medium">{<Visible text={short(text)} />}</span>
        </>
      )}
    </span>
  );
}

/** "input.order_id" → "order id"; "order.total" → "order total". */
function place(from: string): string {
  return format
    .title(from.replace(/^(input|context)\./, ""))
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function short(text: string): string {
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
