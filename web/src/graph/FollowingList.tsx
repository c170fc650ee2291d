import { Crosshair } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { cn } from "../lib/cn";
import { Button } from "../ui/Button";
import { followed, planOf } from "./plan";
import type { RunGraphProps } from "./props";
import { PlanList } from "./StepList";

/** The steps as a list that scrolls to keep the current one in view, until the user scrolls. */
export function FollowingList({ run, gates, approvals, opened, className, ...shown }: RunGraphProps) {
  const box = useRef<HTMLDivElement>(null);
  const plan = useMemo(() => planOf(run, gates, approvals, opened), [run, gates, approvals, opened]);
  const [current] = useMemo(() => followed(plan, shown.marked), [plan, shown.marked]);
  const [free, setFree] = useState(true);
  useEffect(() => {
    if (free && current !== undefined) reveal(box.current, current);
  }, [free, current]);
  const stop = () => setFree(false);
  return (
    <div className={cn("relative flex min-h-0 flex-col", className)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: not interactive; only detects that the user scrolls */}
      <div
        ref={box}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain"
        onWheel={stop}
        onTouchMove={stop}
        onKeyDown={(event) => scrolling.has(event.key) && stop()}
      >
        <PlanList run={run.id} plan={plan} {...shown} />
      </div>
      {!free && (
        <Button size="small" className="absolute right-3 bottom-3 bg-raised" onClick={() => setFree(true)}>
          <Crosshair aria-hidden />
          Current step
        </Button>
      )}
    </div>
  );
}

const scrolling = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"]);

/** Scrolls the box, and nothing around it, to a row unless it is already in view. */
export function reveal(box: HTMLElement | null, id: string): void {
  const row = [...(box?.querySelectorAll<HTMLElement>("[data-node]") ?? [])].find((r) => r.dataset.node === id);
  if (!box || !row) return;
  const from = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (from >= 0 && from + row.offsetHeight <= box.clientHeight) return;
  box.scrollTop += from - (box.clientHeight - row.offsetHeight) / 2;
}
