import { cn } from "../lib/cn";

/** A placeholder for loading content; give it the size of the content. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("motion-pulse h-4 rounded-sm bg-hover", className)} />;
}

/** Placeholders for the rows of a loading list. */
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
