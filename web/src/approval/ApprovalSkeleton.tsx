import { Skeleton } from "../ui/Skeleton";

/** The page while it loads: the same boxes, empty. */
export function ApprovalSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto w-full max-w-300 space-y-4 p-4 sm:px-6">
      <div className="space-y-2">
        <Skeleton className="h-2.5 w-16" />
        <Skeleton className="w-60" />
        <Skeleton className="h-7 w-96 max-w-full" />
        <Skeleton className="w-140 max-w-full" />
      </div>
      <div className="grid gap-4 lg:grid-cols-[7fr_5fr]">
        <Skeleton className="h-96 rounded-md" />
        <Skeleton className="h-80 rounded-md" />
      </div>
    </div>
  );
}
