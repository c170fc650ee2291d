import { TriangleAlert } from "lucide-react";
import type { Run } from "../api/types";

/** What people should know that stopped nothing. */
export function Warnings({ warnings }: { warnings: Run["warnings"] }) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="rounded-md border bg-warn-bg px-4 py-3 text-warn-text">
      <ul className="space-y-1">
        {warnings.map((warning, i) => (
          <li key={i} className="flex gap-2">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0 break-words whitespace-pre-wrap">
              {warning.path && <span className="font-medium">{warning.path}: </span>}
              {warning.message}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
