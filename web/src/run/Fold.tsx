import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

/** A section that can be opened. */
export function Fold({
  title,
  open,
  children,
  aside,
}: {
  title: ReactNode;
  open?: boolean;
  children: ReactNode;
  aside?: ReactNode;
}) {
  return (
    <details open={open} className="min-w-0 [&[open]>summary>svg]:rotate-90">
      <summary className="flex min-h-8 list-none items-center gap-1.5 rounded-sm text-control font-medium select-none pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted transition-transform duration-[120ms]" />
        <span className="min-w-0 flex-1 break-words">{title}</span>
        {aside && <span className="shrink-0 text-small font-normal text-muted">{aside}</span>}
      </summary>
      <div className="pt-1 pb-2">{children}</div>
    </details>
  );
}
