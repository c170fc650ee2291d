import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

/** A line that expands to show its details. */
export function Opens({ head, children, open }: { head: ReactNode; children: ReactNode; open?: boolean }) {
  return (
    <details open={open} className="group">
      <summary className="flex list-none items-center gap-2 rounded-sm hover:bg-hover pointer-coarse:min-h-11">
        {head}
        <ChevronRight
          aria-hidden
          className="ml-auto size-4 shrink-0 text-muted transition-transform group-open:rotate-90"
        />
      </summary>
      <div className="@container mt-1 mb-2 rounded-sm bg-sunken p-3">{children}</div>
    </details>
  );
}
