import { type RefObject, useEffect, useState } from "react";
import type { Approval } from "../api/types";
import { RiskBadge } from "../ui/RiskBadge";
import { Visible } from "../ui/Visible";
import { Gist } from "./Gist";
import type { KeyFact } from "./keyFacts";

interface Props {
  approval: Approval;
  facts: KeyFact[];
  /** The page header; once it is out of sight, the summary shows what is being decided. */
  head: RefObject<HTMLElement | null>;
  within: RefObject<HTMLElement | null>;
}

/** A sticky summary of the decision on phones: the amount stays visible while scrolling. */
export function Summary({ approval, facts, head, within }: Props) {
  const [away, setAway] = useState(false);
  useEffect(() => {
    if (!head.current || typeof IntersectionObserver === "undefined") return;
    const watch = new IntersectionObserver(([entry]) => setAway(entry ? !entry.isIntersecting : false), {
      root: within.current,
    });
    watch.observe(head.current);
    return () => watch.disconnect();
  }, [head, within]);
  if (!away) return null;
  return (
    // Takes no height, so the content below does not move.
    <div aria-hidden className="sticky top-0 z-20 h-0 sm:hidden">
      <div className="motion-fade border-b bg-surface px-4 py-2">
        <div className="flex items-start gap-2">
          <span className="line-clamp-2 min-w-0 flex-1 font-semibold">
            <Visible text={approval.title} />
          </span>
          <RiskBadge level={approval.risk.level} />
        </div>
        <Gist facts={facts.slice(0, 2)} small />
      </div>
    </div>
  );
}
