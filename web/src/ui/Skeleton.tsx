import { cn } from "../lib/cn";

/** The place of something that is being loaded; give it the size of the thing. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("motion-pulse h-4 rounded-sm bg-hover", className)} />;
}

/** Rows of a list that is being loaded. */
export function SkeletonRows({ rows = 6, className = "h-14" }: { rows?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading" className="divide-y">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={cn("flex flex-col justify-center gap-2 px-4", className)}>
          <Skeleton className="h-3 w-2/5" />
          <Skeleton className="h-2.5 w-3/5" />
        </div>
      ))}
    </div>
  );
}
