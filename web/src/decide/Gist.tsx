import { cn } from "../lib/cn";
import { Visible } from "../ui/Visible";
import { Compared } from "./Beside";
import type { KeyFact } from "./keyFacts";

/** The decision in one line: amounts, recipients and objects, each with the evidence for or against it. */
export function Gist({ facts, small }: { facts: KeyFact[]; small?: boolean }) {
  if (facts.length === 0) return null;
  return (
    <ul
      aria-label="In short"
      className={cn("flex min-w-0 flex-wrap items-baseline gap-x-4 gap-y-1", small ? "text-control" : "mt-1.5")}
    >
      {facts.map((fact) => (
        <li key={`${fact.label} ${fact.text}`} className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
          {fact.kind !== "money" && fact.label && (
            <span className="text-small text-muted">
              <Visible text={fact.label} />
            </span>
          )}
          <span
            className={cn(
              "min-w-0 font-medium break-words tabular-nums",
              fact.kind === "money" && (small ? "font-semibold" : "text-number leading-7 font-semibold tracking-tight"),
            )}
          >
            <bdi>
              <Visible text={fact.text} />
            </bdi>
          </span>
          {!small &&
            fact.evidence.slice(0, 1).map((one) => <Compared key={one.from} field={fact.key} evidence={one} />)}
        </li>
      ))}
    </ul>
  );
}
