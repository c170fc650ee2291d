import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { useMe } from "../api";
import { useApproval } from "../api/approvals";
import { keys } from "../api/queries";
import type { Approval } from "../api/types";
import { cn } from "../lib/cn";
import { useAddress, useNavigate } from "../router";
import { useMayStop } from "../shell/useMayStop";
import { Button, IconButton } from "../ui/Button";
import { type Box, place } from "./place";
import { endTour, leaveTour, takeTour } from "./state";
import { type Step, stepsFor } from "./steps";
import "./tour.css";

/** Narrower windows have no room beside things: there, and on the page of an approval, the card is part of the page. */
const floatsFrom = 900;
const lookEveryMs = 200;

/**
 * Shows a new user around, up to their first decision. It only points at things: the user decides, with the buttons and
 * keys of the page, which it never covers.
 */
export default function Tour({ approval: first, offered }: { approval: string; offered: boolean }) {
  const me = useMe().data?.name ?? "";
  const navigate = useNavigate();
  const { path } = useAddress();
  const mayStop = useMayStop();
  const [index, setIndex] = useState(0);
  const [begun, setBegun] = useState(!offered);
  const [around, setAround] = useState<Around>(() => lookAround());
  const opened = /^\/approvals\/([^/]+)$/.exec(path)?.[1];
  const about = around.pane ?? (opened ? decodeURIComponent(opened) : first);
  const { data: approval } = useApproval(about);
  const decided = useDecided(me, approval);
  const steps = stepsFor({ approval, mayStop, pane: around.pane !== undefined, now: Date.now() });
  const step = steps[index] ?? steps[0];
  const settled = approval !== undefined && approval.status !== "pending" && !decided;
  const said = decided ? ended : settled && step?.on === "approval" ? tooLate : step;
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (decided) endTour(me);
  }, [decided, me]);
  const here = path === "/inbox" || opened !== undefined;
  const [spot, setSpot] = useState<Spot>(() => (mayFloat(opened === undefined) ? undefined : "docked"));
  const docked = spot === "docked";
  const slot = useSlot(docked && opened !== undefined ? "tour-above" : "tour-below");
  // In a narrow window the card would take room from the list, so a single line offers the tour first.
  const line = docked && !begun;
  useLook(line ? undefined : said, card, slot, opened === undefined, setSpot, setAround);
  useScrollTo(line ? undefined : said, opened ?? around.pane);
  useFocus(card, slot, here && spot !== undefined && !line);
  if (!here || !said || !slot) return null;

  const close = () => {
    endTour(me);
    leaveTour();
  };
  const go = (to: number) => {
    const next = steps[to];
    if (!next) return;
    setIndex(to);
    if (next.on === "inbox" && opened) void navigate({ to: "/inbox" });
    if (next.on === "approval" && !opened && !around.pane)
      void navigate({ to: "/approvals/$id", params: { id: first } });
  };
  const onNext = () => {
    if (decided) close();
    else if (said === tooLate) takeTour();
    else if (index + 1 < steps.length) go(index + 1);
    else goTo(about);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault(); // Escape is for the tour here, not for the page
    close();
  };
  if (line) {
    if (opened || decided) return null; // no longer needed
    return createPortal(
      <section
        ref={card}
        aria-labelledby="tour-title"
        onKeyDown={onKeyDown}
        className="flex shrink-0 items-center gap-1 border-y bg-raised py-1 pr-1 pl-4"
      >
        <h2 id="tour-title" className="flex-1 font-semibold">
          New here?
        </h2>
        <Button look="ghost" onClick={() => setBegun(true)}>
          Take the tour
        </Button>
        <IconButton label="Close the tour" onClick={close}>
          <X />
        </IconButton>
      </section>,
      slot,
    );
  }
  return createPortal(
    <section
      ref={card}
      aria-labelledby="tour-title"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      style={docked ? undefined : spot ? { left: spot.left, top: spot.top } : { visibility: "hidden" }}
      className={cn(
        "bg-raised p-4 outline-none",
        docked ? "shrink-0 border-y" : "motion-fade fixed z-30 w-80 rounded-md shadow-overlay",
      )}
    >
      <div className="flex items-start gap-2">
        <div aria-live="polite" aria-atomic="true" className="min-w-0 flex-1">
          <p className="text-meta text-muted">
            {decided || said === tooLate ? "Tour" : `Tour · ${index + 1} of ${steps.length}`}
          </p>
          <h2 id="tour-title" className="mt-0.5 font-semibold">
            {said.title}
          </h2>
          <p className="mt-1 text-muted">{said.text}</p>
        </div>
        <IconButton label="Close the tour" className="-mt-2 -mr-2" onClick={close}>
          <X />
        </IconButton>
      </div>
      <div className="mt-3 flex justify-end gap-2">
        {index > 0 && !decided && said !== tooLate && (
          <Button look="ghost" onClick={() => go(index - 1)}>
            Back
          </Button>
        )}
        <Button look={said === steps.at(-1) ? "outlined" : "filled"} onClick={onNext}>
          {said.next}
        </Button>
      </div>
    </section>,
    slot,
  );
}

const ended: Step = {
  on: "approval",
  title: "That's it",
  text: "Your decision is recorded, and the run continues. History lists past decisions. To see the tour again, open the menu with your name.",
  at: [],
  next: "Done",
};
const tooLate: Step = {
  on: "approval",
  title: "This request is already settled",
  text: "It was decided before you answered. Continue with another one.",
  at: [],
  next: "Continue",
};

/** Moves to the approval, where its keys work: to its row if it is shown beside the list, else to its page. */
function goTo(id: string): void {
  const here = `[data-decides="${CSS.escape(id)}"]`;
  const row = document.querySelector<HTMLElement>(`[data-row]${here} a`);
  if (row) row.click();
  else document.querySelector<HTMLElement>(here)?.focus();
}

interface Around {
  /** The approval beside the list. */
  pane: string | undefined;
}

const lookAround = (): Around => ({
  pane:
    document.querySelector<HTMLElement>('[data-preview] [data-answers]:not([data-answers=""])')?.dataset.answers ??
    undefined,
});

/** Whether the user has decided since the tour began. */
function useDecided(me: string, approval: Approval | undefined): boolean {
  const client = useQueryClient();
  const [decided, setDecided] = useState(false);
  const before = useRef(new Map<string, boolean>());
  const mine = approval && byMe(approval, me);
  useEffect(() => {
    if (!approval || mine === undefined) return;
    const had = before.current.get(approval.id);
    if (had === undefined) before.current.set(approval.id, mine);
    else if (mine && !had) setDecided(true);
  }, [approval, mine]);
  useEffect(
    () =>
      client.getQueryCache().subscribe((event) => {
        // Answers to the user's own requests are written into the cache; everything else is read again.
        if (event.type !== "updated" || event.action.type !== "success" || !event.action.manual) return;
        const [kind, one] = event.query.queryKey;
        if (kind !== keys.approvalOnes[0] || one !== keys.approvalOnes[1]) return;
        if (byMe(event.query.state.data as Approval, me)) setDecided(true);
      }),
    [client, me],
  );
  return decided;
}

const byMe = ({ decisions }: Approval, me: string) => decisions.some(({ by }) => by === me);

/** The first visible element of a step. */
function anchorOf(step: Step): HTMLElement | undefined {
  for (const at of step.at)
    for (const found of document.querySelectorAll<HTMLElement>(at)) if (found.getClientRects().length > 0) return found;
  return undefined;
}

/** The place of the card; "docked" if there is none beside the page, so it is part of it. Undefined until measured. */
type Spot = Box | "docked" | undefined;

/** Marks what a step is about, and finds a place for the card beside it. */
function useLook(
  step: Step | undefined,
  card: RefObject<HTMLElement | null>,
  slot: HTMLElement | null,
  floats: boolean,
  onSpot: (update: (before: Spot) => Spot) => void,
  onAround: (update: (before: Around) => Around) => void,
): void {
  const at = step?.at.join();
  const latest = useRef(step);
  latest.current = step;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another step has other anchors
  useLayoutEffect(() => {
    let marked: HTMLElement | undefined;
    const look = () => {
      onAround((before) => {
        const now = lookAround();
        return now.pane === before.pane ? before : now;
      });
      const anchor = latest.current && anchorOf(latest.current);
      if (anchor !== marked) {
        marked?.removeAttribute("data-toured");
        anchor?.setAttribute("data-toured", "");
        marked = anchor;
      }
      if (!card.current) return;
      const next = (mayFloat(floats) && spotFor(anchor, card.current)) || "docked";
      onSpot((now) => (same(now, next) ? now : next));
    };
    look();
    const timer = setInterval(look, lookEveryMs);
    return () => {
      clearInterval(timer);
      marked?.removeAttribute("data-toured");
    };
  }, [at, card, slot, floats, onSpot, onAround]);
}

// innerWidth would have the browser lay out the page.
const mayFloat = (floats: boolean) => floats && matchMedia(`(min-width: ${floatsFrom}px)`).matches;

const same = (a: Spot, b: Spot) =>
  a === b || (typeof a === "object" && typeof b === "object" && a.left === b.left && a.top === b.top);

function spotFor(anchor: HTMLElement | undefined, card: HTMLElement): Box | undefined {
  const window = { left: 0, top: 0, width: innerWidth, height: innerHeight };
  // Without anything to point at, in the corner.
  const at = anchor?.getBoundingClientRect() ?? { left: 0, top: innerHeight, width: 0, height: 0 };
  const boxes = (of: string) => [...document.querySelectorAll(of)].map((one) => one.getBoundingClientRect());
  const size = { width: floatingWidth, height: card.offsetHeight };
  return place(at, size, window, boxes("[data-answers]"), boxes("[data-preview]"));
}

const floatingWidth = 320;

/** Brings what a step is about into view, once. */
function useScrollTo(step: Step | undefined, shown: string | undefined): void {
  const title = step?.title;
  const latest = useRef(step);
  latest.current = step;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per step, and when its page has come
  useEffect(() => {
    const timer = setTimeout(() => latest.current && anchorOf(latest.current)?.scrollIntoView?.({ block: "nearest" }));
    return () => clearTimeout(timer);
  }, [title, shown]);
}

/** The place in the page that holds the card. */
function useSlot(id: string): HTMLElement | null {
  const [slot, setSlot] = useState(() => document.getElementById(id));
  useLayoutEffect(() => setSlot(document.getElementById(id)), [id]);
  return slot;
}

/** Takes the focus if nothing else has it, and keeps it when the card moves to another place. */
function useFocus(card: RefObject<HTMLElement | null>, slot: HTMLElement | null, shown: boolean): void {
  const within = useRef(true);
  useEffect(() => {
    const note = () => {
      within.current = card.current?.contains(document.activeElement) ?? within.current;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [card]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the card appears in another place
  useEffect(() => {
    if (within.current && document.activeElement === document.body) card.current?.focus({ preventScroll: true });
  }, [slot, shown]);
}
