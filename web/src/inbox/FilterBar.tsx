import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDownWideNarrow, Layers, ListFilter, X } from "lucide-react";
import { type KeyboardEvent, lazy, type RefObject, Suspense, useEffect, useId, useState } from "react";
import { useAgents, useMe, useWorkflows } from "../api";
import { cn } from "../lib/cn";
import { useStands } from "../lib/later";
import { Button } from "../ui/Button";
import { Input } from "../ui/Input";
import { Kbd } from "../ui/Kbd";
import { countFilter, countKey, countMs, readCount } from "./counts";
import {
  activeOf,
  type Chosen,
  matching,
  type Offer,
  offersOf,
  optionId,
  type Sort,
  sorts,
  withOffer,
  without,
} from "./filter";

const Offers = lazy(() => import("./Offers"));

interface Props {
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
  /** Roles found in the loaded rows, in addition to the user's own. */
  roles: string[];
  /** The number of pending approvals; when it changes, the counts are out of date. */
  total: number | undefined;
  box: RefObject<HTMLInputElement | null>;
  /** Whether similar approvals are grouped; undefined if there are none. */
  groups: boolean | undefined;
  onGroups: (on: boolean) => void;
}

const quick = [
  { dimension: "mine", value: "true", label: "Mine" },
  { dimension: "risk", value: "critical", label: "Critical" },
  { dimension: "risk", value: "high", label: "High" },
] as const;

/** The filters, typed or picked from the quick ones, and the sort order. */
export function FilterBar({ chosen, onChange, roles, total, box, groups, onGroups }: Props) {
  const active = activeOf(chosen);
  const offered = quick.filter((q) => !(q.dimension === "mine" ? chosen.mine : chosen.risk));
  const counts = useQuickCounts(chosen, offered, total);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-4 pb-3 sm:px-6">
      <FilterBox chosen={chosen} onChange={onChange} roles={roles} box={box} />
      <div className="flex min-w-0 flex-1 items-center gap-2 max-sm:order-last max-sm:min-h-7 max-sm:w-full max-sm:flex-none max-sm:overflow-x-auto pointer-coarse:max-sm:min-h-(--tap)">
        {active.map(({ dimension, label }) => (
          <button
            key={dimension}
            type="button"
            aria-label={`Remove the filter ${label}`}
            onClick={() => onChange(without(chosen, dimension))}
            className="inline-flex h-7 min-w-0 items-center gap-1 rounded-full bg-accent-bg pr-2 pl-3 text-small font-medium whitespace-nowrap text-accent-text max-sm:shrink-0 pointer-coarse:h-(--tap)"
          >
            <span className="truncate">{label}</span>
            <X aria-hidden className="size-3.5 shrink-0" />
          </button>
        ))}
        {offered.map((offer, i) => {
          const count = counts[i];
          if (count === undefined || count === "0") return null;
          return (
            <button
              key={offer.value}
              type="button"
              onClick={() => onChange(withOffer(chosen, offer))}
              className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-full border px-3 text-small whitespace-nowrap text-muted hover:bg-hover hover:text-text pointer-coarse:h-(--tap)"
            >
              {offer.label}
              <span className="text-text">{count}</span>
            </button>
          );
        })}
        {active.length > 1 && (
          <Button look="ghost" size="small" onClick={() => onChange({ sort: chosen.sort })}>
            Clear all
          </Button>
        )}
      </div>
      {groups !== undefined && (
        <Button look="ghost" aria-pressed={groups} onClick={() => onGroups(!groups)} title="One row for requests alike">
          <Layers aria-hidden className={cn(groups && "text-accent-text")} />
          <span className="max-sm:sr-only">{groups ? "Grouped" : "Group"}</span>
        </Button>
      )}
      <SortBox sort={chosen.sort} onChange={(sort) => onChange({ ...chosen, sort })} />
    </div>
  );
}

/** The sort order. A native select: small, and familiar on phones. */
function SortBox({ sort, onChange }: { sort: Sort; onChange: (sort: Sort) => void }) {
  return (
    <label className="relative inline-flex h-(--tap) items-center gap-1.5 rounded-sm pr-2 pl-2.5 text-control font-medium text-muted focus-within:outline-2 focus-within:outline-accent hover:bg-hover hover:text-text">
      <ArrowDownWideNarrow aria-hidden className="size-4" />
      <span aria-hidden>{sorts[sort].short}</span>
      <span className="sr-only">Order</span>
      <select
        value={sort}
        onChange={(e) => {
          onChange(e.target.value as Sort);
          e.target.blur(); // shortcuts are off while a field has the focus
        }}
        className="absolute inset-0 size-full cursor-pointer appearance-none opacity-0"
      >
        {(Object.keys(sorts) as Sort[]).map((one) => (
          <option key={one} value={one}>
            {sorts[one].label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Typing suggests existing values; arrows select, Enter applies. */
function FilterBox({ chosen, onChange, roles, box }: Pick<Props, "chosen" | "onChange" | "roles" | "box">) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [used, setUsed] = useState(false); // values are loaded when the user starts to choose
  const workflows = useWorkflows(used).data?.items.map((w) => w.name) ?? [];
  const agents = useAgents(used).data?.items.map((a) => a.name) ?? [];
  const mine = useMe().data?.roles ?? [];
  const offers = used
    ? matching(offersOf({ workflows, agents, roles: [...new Set([...mine, ...roles])].sort() }), typed)
    : [];
  const current = offers[Math.min(at, offers.length - 1)];

  const take = (offer: Offer) => {
    onChange(withOffer(chosen, offer));
    setTyped("");
    setOpen(false);
    box.current?.blur();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt((n) => (Math.min(n, offers.length - 1) + step + offers.length) % Math.max(1, offers.length));
    } else if (event.key === "Enter" && open && current) {
      event.preventDefault();
      take(current);
    } else if (event.key === "Escape") {
      event.preventDefault();
      setOpen(false);
      box.current?.blur();
    } else if (event.key === "Backspace" && typed === "") {
      const last = activeOf(chosen).at(-1);
      if (last) onChange(without(chosen, last.dimension));
    }
  };
  return (
    <div className="relative w-56 max-sm:min-w-0 max-sm:flex-1">
      <ListFilter
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <Input
        ref={box}
        id={id}
        role="combobox"
        aria-label="Filter"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && current ? optionId(id, current) : undefined}
        placeholder="Search or filter…"
        autoComplete="off"
        className="pr-8 pl-8"
        value={typed}
        onPointerEnter={() => setUsed(true)}
        onFocus={() => {
          setUsed(true);
          setOpen(true);
        }}
        onBlur={() => setOpen(false)}
        onChange={(e) => {
          setTyped(e.target.value);
          setAt(0);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
      />
      <span className="pointer-events-none absolute top-1/2 right-2 -translate-y-1/2">
        <Kbd keys="/" />
      </span>
      {open && (
        <Suspense>
          <Offers id={id} chosen={chosen} offers={offers} current={current} onPoint={setAt} onTake={take} />
        </Suspense>
      )}
    </div>
  );
}

/**
 * How many rows each of the quick filters would leave, after the list itself. Refetched when the list changes, at most
 * every ten seconds.
 */
function useQuickCounts(chosen: Chosen, offers: readonly (typeof quick)[number][], total: number | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (total === undefined) return;
    const again = () => void client.refetchQueries({ queryKey: countKey, type: "active", stale: true });
    again();
    const timer = setTimeout(again, countMs); // don't miss the last change
    return () => clearTimeout(timer);
  }, [client, total]);
  const filters = offers.map((offer) => countFilter(chosen, offer));
  const { data: counts } = useQuery({
    queryKey: [...countKey, filters],
    queryFn: ({ signal }) => Promise.all(filters.map((filter) => readCount(filter, signal))),
    enabled: useStands() && total !== undefined,
    staleTime: countMs,
  });
  return counts ?? [];
}
