import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { cn } from "../lib/cn";
import { countFilter, countKey, countMs, readCount } from "./counts";
import { type Chosen, type Offer, optionId } from "./filter";

interface Props {
  /** The id of the box they belong to. */
  id: string;
  chosen: Chosen;
  offers: Offer[];
  current: Offer | undefined;
  onPoint: (index: number) => void;
  onTake: (offer: Offer) => void;
}

/** Suggestions below the filter box. */
export default function Offers({ id, chosen, offers, current, onPoint, onTake }: Props) {
  const counts = useCounts(chosen, offers.slice(0, countedMax));
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: "nearest" });
  });
  return (
    <div
      ref={list}
      id={`${id}-list`}
      role="listbox"
      aria-label="Filters"
      className="motion-pop absolute top-full left-0 z-30 mt-1 max-h-96 w-72 overflow-y-auto rounded-md bg-raised p-1 shadow-overlay"
    >
      {offers.map((offer, i) => (
        <div key={optionId(id, offer)} role="presentation">
          {offer.group !== offers[i - 1]?.group && (
            <p role="presentation" className="px-2 pt-2 pb-1 text-meta text-muted">
              {offer.group}
            </p>
          )}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the focus stays in the box */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant points here */}
          <div
            id={optionId(id, offer)}
            role="option"
            aria-selected={offer === current}
            onMouseDown={(e) => e.preventDefault()}
            onClick={() => onTake(offer)}
            onMouseMove={() => onPoint(i)}
            className={cn(
              "flex min-h-8 items-center gap-2 rounded-sm px-2 text-control pointer-coarse:min-h-(--tap)",
              offer === current && "bg-hover",
            )}
          >
            <span className="min-w-0 flex-1 truncate">{offer.label}</span>
            {counts[i] !== undefined && <span className="text-small text-muted">{counts[i]}</span>}
          </div>
        </div>
      ))}
    </div>
  );
}

const countedMax = 12;

/** How many rows each suggestion would leave. */
function useCounts(chosen: Chosen, offers: Offer[]): (string | undefined)[] {
  return useQueries({
    queries: offers.map((offer) => {
      const filter = countFilter(chosen, offer);
      return {
        queryKey: [...countKey, filter],
        queryFn: ({ signal }: { signal: AbortSignal }) => readCount(filter, signal),
        staleTime: countMs,
        placeholderData: keepPreviousData,
      };
    }),
    combine: (results) => results.map(({ data }) => data),
  });
}
