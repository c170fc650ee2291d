import { useEffect, useRef } from "react";
import { api, data } from "../api/client";
import type { Approval, Event } from "../api/types";
import { useLiveEvents } from "../live";
import { approvalOf } from "../live/affects";
import { useAddress, useNavigate } from "../router";
import { typing } from "../shell/deliberate";
import { toast } from "../ui/Toasts";
import { format } from "../words";
import { spelled } from "../words/unseen";
import { withdraw } from "./device";
import { soundOn } from "./settings";
import { ring } from "./sound";

/** Arrivals within this time of each other are one notice. */
const togetherMs = 1000;
/** A person who types is asked again after this time. */
const againMs = 2000;
/** More than this many are counted and not named, so older ones need not be kept. */
const keptMax = 200;
const listMax = 100;

/** A notice when an approval arrives that the person can answer: one for all that arrive together. */
export function useArrivals(quiet: () => boolean): void {
  const navigate = useNavigate();
  const { path } = useAddress();
  const state = useRef<{ heard: Set<string>; timer?: ReturnType<typeof setTimeout> }>({ heard: new Set() });
  const tell = async () => {
    const { heard } = state.current;
    if (heard.size === 0 || document.visibilityState !== "visible") return; // shown when the page becomes visible
    if (typing(document.activeElement)) return plan(againMs);
    const ids = new Set(heard);
    heard.clear();
    if (quiet()) return;
    const fresh = (await mine()).filter((a) => ids.has(a.id) && !a.test_mode && path !== `/approvals/${a.id}`);
    if (fresh.length === 0) return;
    if (soundOn()) ring();
    if (path === "/inbox") return; // the list shows and announces them
    show(fresh, (to) => void navigate(to));
  };
  const latest = useRef(tell);
  useEffect(() => {
    latest.current = tell;
  });
  const plan = (ms: number) => {
    clearTimeout(state.current.timer);
    state.current.timer = setTimeout(() => void latest.current().catch(() => {}), ms); // the list says if it cannot be read
  };
  useLiveEvents((event) => {
    if (hear(event, state.current.heard)) plan(togetherMs);
  });
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && void latest.current().catch(() => {});
    document.addEventListener("visibilitychange", look);
    const { current } = state;
    return () => {
      document.removeEventListener("visibilitychange", look);
      clearTimeout(current.timer);
    };
  }, []);
}

/** Notes an approval that arrived, or that is settled; returns whether there is something to tell. */
export function hear(event: Pick<Event, "type" | "data" | "run">, heard: Set<string>): boolean {
  const id = event.type.startsWith("approval.") ? approvalOf(event as Event) : undefined;
  if (id === undefined) return false;
  if (event.type === "approval.needed" || event.type === "approval.escalated") {
    if (heard.size < keptMax) heard.add(id);
    return true;
  }
  if (event.type === "approval.resolved" || event.type === "approval.timed_out") {
    heard.delete(id);
    void withdraw(id);
  }
  return false;
}

async function mine(): Promise<Approval[]> {
  const query = { status: ["pending" as const], mine: true, limit: listMax };
  return (await data(api.GET("/api/v1/approvals", { params: { query } }))).items;
}

type Target = { to: "/inbox" } | { to: "/approvals/$id"; params: { id: string } };

function show(fresh: Approval[], go: (to: Target) => void): void {
  const [one] = fresh;
  if (one && fresh.length === 1) {
    toast({
      title: spelled(one.title),
      detail: `Waiting for you · ${format.title(one.workflow)}`,
      tone: "info",
      ms: 8000,
      action: { label: "Open", onSelect: () => go({ to: "/approvals/$id", params: { id: one.id } }) },
    });
    return;
  }
  toast({
    title: `${format.plural(fresh.length, "new approval")} waiting for you`,
    tone: "info",
    ms: 8000,
    action: { label: "Open the inbox", onSelect: () => go({ to: "/inbox" }) },
  });
}
