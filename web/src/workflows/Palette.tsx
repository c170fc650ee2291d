import { Hand, User } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { Input } from "../ui/Input";
import { Visible } from "../ui/Visible";
import { stepMime } from "./mime";
import type { Offer } from "./model/catalog";
import type { NewStep, Slot } from "./model/edit";
import { gateAt } from "./model/here";
import { doerTitle, doerWord, placeText } from "./say";
import type { Studio } from "./studio";

const shownMax = 60;

/** Everything that can be added: by dragging it onto the canvas, or by choosing it. */
export function Palette(props: {
  studio: Studio;
  /** Where it is added; without one, at what is selected. */
  slot?: Slot;
  onDone?: () => void;
  className?: string;
  autoFocus?: boolean;
}) {
  const { studio, slot, onDone, className, autoFocus } = props;
  const { catalog, here, run } = studio;
  const [query, setQuery] = useState("");
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string) => words.every((w) => text.toLowerCase().includes(w));
  const groups = useMemo(
    () =>
      (["agent", "tool", "workflow"] as const).map((doer) => ({ doer, all: catalog.filter((o) => o.doer === doer) })),
    [catalog],
  );
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => oneStop(list.current));
  const add = (step: NewStep) => {
    run.add(step, slot);
    onDone?.();
  };
  const at = slot ? gateAt(slot, here.gateAt) : here.gateAt;
  return (
    <div className={cn("flex min-h-0 flex-col", className)}>
      <div className="p-2">
        <Input
          type="search"
          aria-label="Search agents, tools and workflows"
          placeholder="Search…"
          value={query}
          autoFocus={autoFocus}
          onChange={(e) => setQuery(e.target.value)}
        />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons have the focus */}
      <div ref={list} className="min-h-0 flex-1 overflow-y-auto px-2 pb-2" onKeyDown={walk}>
        {fits("people human step approval gate ask") && (
          <Group title="People">
            <Item
              icon={User}
              label="Human step"
              hint="People do this step themselves"
              step={{ doer: "human", name: "What has to be done" }}
              onAdd={add}
            />
            <li>
              <button
                type="button"
                draggable
                onDragStart={(e) => carry(e, "approval")}
                className={cn(itemLook, "cursor-grab")}
                onClick={() => {
                  run.addGate(at);
                  onDone?.();
                }}
              >
                <Hand aria-hidden className="mt-0.5 size-4 shrink-0 text-warn-text" />
                <span className="min-w-0">
                  <span className="block truncate font-medium">Approval</span>
                  <span className="block text-meta text-muted">Ask people {lowered(placeText({ id: "", at }))}</span>
                </span>
              </button>
            </li>
          </Group>
        )}
        {groups.map(({ doer, all }) => {
          const found = all.filter((o) => fits(`${o.name} ${doerTitle(o.doer, o.name)} ${o.description}`));
          if (found.length === 0) return null;
          return (
            <Group key={doer} title={doerWord[doer].plural}>
              {found.slice(0, shownMax).map((offer) => (
                <OfferItem key={offer.name} offer={offer} onAdd={add} />
              ))}
              {found.length > shownMax && (
                <li className="px-2 py-1 text-meta text-muted">{found.length - shownMax} more: search to find them</li>
              )}
            </Group>
          );
        })}
      </div>
    </div>
  );
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

const itemsOf = (list: Element | null) => [...(list?.querySelectorAll("button") ?? [])];

/** One item is in the order of tabs: the one with the focus, or the first. Otherwise dozens would precede the canvas. */
function oneStop(list: Element | null, stop?: HTMLElement): void {
  const items = itemsOf(list);
  const chosen = items.find((item) => item === (stop ?? document.activeElement)) ?? items[0];
  for (const item of items) item.tabIndex = item === chosen ? 0 : -1;
}

/** The arrow keys lead from item to item. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  const next = to === undefined || at < 0 ? undefined : items[to];
  if (!next) return;
  event.preventDefault();
  oneStop(event.currentTarget, next);
  next.focus();
}

const itemLook =
  "flex min-h-(--tap) w-full items-start gap-2 rounded-sm px-2 py-1.5 text-left text-control hover:bg-hover";

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section aria-label={title} className="mt-1">
      <h3 className="px-2 pt-1.5 pb-0.5 text-meta font-medium text-muted">{title}</h3>
      <ul>{children}</ul>
    </section>
  );
}

function OfferItem({ offer, onAdd }: { offer: Offer; onAdd: (step: NewStep) => void }) {
  const label = doerTitle(offer.doer, offer.name);
  return (
    <Item
      icon={doerWord[offer.doer].icon}
      label={label}
      hint={offer.description}
      step={{ doer: offer.doer, name: offer.name }}
      risky={offer.risk === "high" || offer.risk === "critical"}
      onAdd={onAdd}
    />
  );
}

function carry(event: DragEvent, what: NewStep | "approval"): void {
  event.dataTransfer.setData(stepMime, JSON.stringify(what));
  event.dataTransfer.effectAllowed = "copy";
}

function Item(props: {
  icon: typeof User;
  label: string;
  hint: string;
  step: NewStep;
  risky?: boolean;
  onAdd: (step: NewStep) => void;
}) {
  const { icon: Icon, label, hint, step, risky, onAdd } = props;
  return (
    <li>
      <button
        type="button"
        draggable
        onDragStart={(e) => carry(e, step)}
        onClick={() => onAdd(step)}
        className={cn(itemLook, "cursor-grab")}
      >
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">
            <Visible text={label} />
          </span>
          {hint && (
            <span className="line-clamp-2 text-meta text-muted">
              <Visible text={hint} />
            </span>
          )}
        </span>
        {risky && <Badge tone="bad">risky</Badge>}
      </button>
    </li>
  );
}
