import type { ComponentProps, ReactNode } from "react";
import { cn } from "../lib/cn";

/** A surface with a hairline border. title and actions form its header. */
export function Card(
  props: Omit<ComponentProps<"section">, "title"> & { title?: ReactNode; actions?: ReactNode; flush?: boolean },
) {
  const { title, actions, flush, className, children, ...rest } = props;
  return (
    <section className={cn("min-w-0 rounded-md border bg-surface", className)} {...rest}>
      {(title || actions) && (
        <header className="flex min-h-11 items-center gap-2 border-b px-4 py-1.5">
          <h2 className="min-w-0 flex-1 truncate text-control font-semibold">{title}</h2>
          {actions}
        </header>
      )}
      <div className={flush ? undefined : "p-4"}>{children}</div>
    </section>
  );
}
