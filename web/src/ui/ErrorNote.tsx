import type { ReactNode } from "react";
import { ApiError } from "../api/error";
import { problem } from "../words";

/** What went wrong, why, and what to do next. */
export function ErrorNote({ error, action }: { error: unknown; action?: ReactNode }) {
  const told = error instanceof ApiError ? error : undefined;
  const word = problem[told?.code ?? "internal"];
  const Icon = word.icon;
  return (
    <div role="alert" className="flex gap-3 rounded-md border bg-bad-bg p-3 text-bad-text">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{told?.title || word.label}</p>
        {(told?.detail || !told) && (
          <p className="wrap-anywhere first-letter:uppercase">{told?.detail || messageOf(error)}</p>
        )}
        <p className="mt-0.5 text-small first-letter:uppercase">{hintOf(told?.hint) || word.sentence}</p>
        {told && told.errors.length > 0 && (
          <ul className="mt-2 list-disc space-y-0.5 pl-4 text-small">
            {told.errors.map((fault, i) => (
              <li key={i}>
                {fault.path && <code className="mr-1">{fault.path}</code>}
                {fault.message}
              </li>
            ))}
          </ul>
        )}
        {action && <div className="mt-2">{action}</div>}
      </div>
    </div>
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A hint without terminal commands: they are no help on a page. */
export function hintOf(hint: string | undefined): string {
  return (hint ?? "")
    .split(/;\s+/)
    .map((part) => part.replace(/\s*\(assent [^)]*\)/g, "").replace(/(?: with)?:\s*assent [a-z].*$/, ""))
    .filter((part) => part && !/\bassent [a-z]/.test(part))
    .join("; ");
}
