import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** Shown when there is nothing: why, and what to do. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
}: {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="motion-fade flex flex-col items-center px-6 py-16 text-center">
      <span className="mb-3 flex size-12 items-center justify-center rounded-full bg-accent-bg text-accent-text">
        <Icon aria-hidden className="size-6" />
      </span>
      <h2 className="text-lead font-semibold">{title}</h2>
      {children && <p className="mt-1 max-w-96 text-muted">{children}</p>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}
