import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";

/** Settings that few workflows need. A problem among them opens it; only people close it. */
export function More({ label, wrong, children }: { label: string; wrong: boolean; children: ReactNode }) {
  const [open, setOpen] = useState(wrong);
  useEffect(() => {
    if (wrong) setOpen(true);
  }, [wrong]);
  return (
    <details open={open} onToggle={(e) => setOpen(e.currentTarget.open)} className="[&[open]>summary>svg]:rotate-90">
      <summary className="flex min-h-8 list-none items-center gap-1.5 rounded-sm text-control font-medium select-none hover:bg-hover pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted transition-transform duration-[120ms]" />
        {label}
      </summary>
      <div className="pt-2">{children}</div>
    </details>
  );
}
