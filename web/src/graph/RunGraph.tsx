import { List, Workflow } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { cn } from "../lib/cn";
import { Skeleton, SkeletonRows } from "../ui/Skeleton";
import { FollowingList } from "./FollowingList";
import type { RunGraphProps } from "./props";
import { StepList } from "./StepList";
import { usePhone } from "./usePhone";

const Canvas = lazy(() => import("./Canvas"));

const remembered = "assent.graph.view";

/** The steps of a run as a graph, or as a list for phones, screen readers and users who prefer it. */
export function RunGraph(props: RunGraphProps) {
  const phone = usePhone();
  const [view, setView] = useState<"graph" | "list">(() =>
    localStorage.getItem(remembered) === "list" ? "list" : "graph",
  );
  const choose = (next: "graph" | "list") => {
    setView(next);
    localStorage.setItem(remembered, next);
  };
  const known = props.gates !== undefined;
  if (phone) {
    if (!known) return <SkeletonRows rows={Math.min(8, props.run.steps.length)} />;
    return props.bounded ? <FollowingList {...props} className="max-h-[40dvh]" /> : <StepList {...props} />;
  }
  return (
    <div className={cn("relative flex h-full min-h-0 min-w-0 flex-col", props.className)}>
      <fieldset
        aria-label="Show the steps as"
        className="absolute top-2 left-2 z-10 flex rounded-sm border bg-surface *:first:rounded-l-[5px] *:last:rounded-r-[5px]"
      >
        {(["graph", "list"] as const).map((kind) => {
          const Icon = kind === "graph" ? Workflow : List;
          return (
            <button
              key={kind}
              type="button"
              aria-pressed={view === kind}
              onClick={() => choose(kind)}
              className="flex h-7 items-center gap-1.5 px-2 text-small text-muted hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:text-accent-text pointer-coarse:h-11"
            >
              <Icon aria-hidden className="size-3.5" />
              {kind === "graph" ? "Graph" : "List"}
            </button>
          );
        })}
      </fieldset>
      {!known ? (
        <Loading />
      ) : view === "list" ? (
        <FollowingList {...props} className="mt-11 flex-1 border-t" />
      ) : (
        <Suspense fallback={<Loading />}>
          <Canvas {...props} />
        </Suspense>
      )}
    </div>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading" className="h-full p-4 pt-12">
      <Skeleton className="h-full" />
    </div>
  );
}
