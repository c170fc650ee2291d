import { useEffect, useRef } from "react";
import { useMe } from "../api";
import { api, data } from "../api/client";
import type { Approval, Event, RunStatus } from "../api/types";
import { plain } from "../json";
import { useLiveEvents } from "../live";
import { approvalOf } from "../live/affects";
import { useAddress, useNavigate } from "../router";
import { typing } from "../shell/deliberate";
import { standingToast } from "../ui/Toasts";
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
/** Errors are cut after this many characters: the run shows the rest. */
const errorMax = 160;

/** What the user is to be told about, by id. */
export interface Heard {
  approvals: Map<string, "new" | "reminder">;
  runs: Set<string>;
}

export const nothing = (): Heard => ({ approvals: new Map(), runs: new Set() });

interface Me {
  name: string;
  roles: readonly string[];
}

/**
 * Notices that stay until they are dismissed, acted on, or settled elsewhere: one for the approvals that the person can
 * answer, one for their runs that failed, stopped at a limit, or were paused by others. off: the events that the person
 * turned off.
 */
export function useArrivals(quiet: () => boolean, off: (event: string) => boolean): void {
  const navigate = useNavigate();
  const { path } = useAddress();
  const { data: me } = useMe();
  const state = useRef<{ heard: Heard; timer?: ReturnType<typeof setTimeout> }>({ heard: nothing() });
  const told = useRef({ approvals: new Standing<Approval>(sayApprovals), runs: new Standing<Run>(sayRuns) }).current;
  const go: Go = (to) => void navigate(to);
  const tell = async () => {
    const { heard } = state.current;
    if (heard.approvals.size + heard.runs.size === 0) return;
    if (document.visibilityState !== "visible") return; // shown when the page becomes visible
    if (typing(document.activeElement)) return plan(againMs);
    const { approvals: ids, runs } = heard;
    state.current.heard = nothing();
    if (quiet()) return;
    const elsewhere = (kind: string, id: string) => path !== `/${kind}/${id}`;
    const fresh = ids.size > 0 ? (await mine()).filter((a) => ids.has(a.id) && !a.test_mode) : [];
    const waiting = fresh.filter((a) => elsewhere("approvals", a.id));
    const stopped = runs.size > 0 && me ? (await stoppedRuns(me.name)).filter((r) => runs.has(r.id)) : [];
    const own = stopped.filter(
      (r) =>
        !r.parent &&
        !r.test_mode &&
        elsewhere("runs", r.id) &&
        !off(r.status === "paused" ? "run.paused" : "run.failed"),
    );
    if (own.length > 0) told.runs.add(own, go);
    if (waiting.length === 0) return;
    if (soundOn()) ring();
    if (path === "/inbox") return; // the list shows and announces them
    told.approvals.add(
      waiting,
      go,
      waiting.every((a) => ids.get(a.id) === "reminder"),
    );
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
    if (hear(event, state.current.heard, me)) plan(togetherMs);
    for (const id of settledBy(event)) told.approvals.drop(id);
    told.runs.dropIf((r) => r.id === event.run && goesOn(r.status, event.type));
    if (ended.has(event.type)) told.approvals.dropIf((a) => a.run === event.run);
  });
  // What is opened is seen to.
  useEffect(() => {
    if (path === "/inbox") told.approvals.clear();
    const [, kind, id = ""] = path.split("/");
    if (kind === "approvals") told.approvals.drop(id);
    if (kind === "runs") told.runs.drop(id);
  }, [path, told]);
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && void latest.current().catch(() => {});
    document.addEventListener("visibilitychange", look);
    const { current } = state;
    return () => {
      document.removeEventListener("visibilitychange", look);
      clearTimeout(current.timer);
      told.approvals.clear();
      told.runs.clear();
    };
  }, [told]);
}

/** Events after which nothing of a run waits for anyone. */
const ended: ReadonlySet<string> = new Set(["run.cancelled", "run.completed", "run.failed"]);

/** Events of runs that the owner is told of. */
const stops: ReadonlySet<string> = new Set(["run.failed", "run.limit_reached", "run.paused"]);
/** Events after which a run is no longer paused. */
const unpauses: ReadonlySet<string> = new Set([...ended, "run.unpaused", "run.limit_reached"]);

/** Whether an event shows that a run no longer has a status. What runs while it is paused still ends. */
const goesOn = (status: RunStatus, type: string): boolean =>
  status === "paused" ? unpauses.has(type) : !stops.has(type);

/** Approvals that no longer wait, or wait for someone else. */
function settledBy(event: Pick<Event, "type" | "data">): string[] {
  const settles = event.type === "approval.resolved" || event.type === "approval.timed_out";
  const id = settles || decisionOf(event)?.act === "delegate" ? approvalOf(event as Event) : undefined;
  return id === undefined ? [] : [id];
}

interface Decided {
  by?: string;
  act?: string;
  to?: string;
}

const decisionOf = (event: Pick<Event, "type" | "data">): Decided | undefined =>
  event.type === "approval.decided" ? plain<{ decision?: Decided }>(event.data)?.decision : undefined;

/** Whether a decision passes an approval to this person. */
function passes({ act, by, to }: Decided, me: Me | undefined): boolean {
  if ((act !== "delegate" && act !== "escalate") || by === me?.name) return false;
  if (!to) return act === "escalate"; // to the next level: the list of one's own tells
  return to === me?.name || (me?.roles.some((role) => to === `role:${role}`) ?? false);
}

/** Notes an approval or a run that stopped to tell of, or that one is settled; returns whether there is something to tell. */
export function hear(event: Pick<Event, "type" | "data" | "run" | "actor">, heard: Heard, me?: Me): boolean {
  if (stops.has(event.type)) {
    const { kind, name } = event.actor;
    if (event.type === "run.paused" && kind === "person" && name === me?.name) return false; // they know
    if (heard.runs.size < keptMax) heard.runs.add(event.run);
    return true;
  }
  const id = event.type.startsWith("approval.") ? approvalOf(event as Event) : undefined;
  if (id === undefined) return false;
  const decided = decisionOf(event);
  const arrives = event.type === "approval.needed" || event.type === "approval.escalated";
  if (arrives || event.type === "approval.reminder" || (decided && passes(decided, me))) {
    const kind = event.type === "approval.reminder" ? "reminder" : "new";
    if (heard.approvals.size < keptMax || heard.approvals.has(id)) {
      heard.approvals.set(id, heard.approvals.get(id) === "new" ? "new" : kind);
    }
    return true;
  }
  if (event.type === "approval.resolved" || event.type === "approval.timed_out") {
    heard.approvals.delete(id);
    void withdraw(id);
  }
  return false;
}

async function mine(): Promise<Approval[]> {
  const query = { status: ["pending" as const], mine: true, limit: listMax };
  return (await data(api.GET("/api/v1/approvals", { params: { query } }))).items;
}

async function stoppedRuns(owner: string) {
  const query = { status: ["failed" as const, "limit_reached" as const, "paused" as const], owner, limit: listMax };
  return (await data(api.GET("/api/v1/runs", { params: { query } }))).items;
}

type Run = Awaited<ReturnType<typeof stoppedRuns>>[number];

type Target =
  | { to: "/inbox" }
  | { to: "/approvals/$id"; params: { id: string } }
  | { to: "/runs/$id"; params: { id: string } }
  | { to: "/runs"; search: Record<string, string> };
type Go = (to: Target) => void;
type Said = Parameters<ReturnType<typeof standingToast>["show"]>[0];

/** One notice for all that it was told of and that is still to be seen to. */
export class Standing<T extends { id: string }> {
  private items = new Map<string, T>();
  private readonly notice = standingToast();
  private go: Go = () => {};
  private again = false;

  constructor(private readonly say: (items: T[], go: Go, again: boolean) => Said) {}

  /** again: it was told before. */
  add(items: readonly T[], go: Go, again = false): void {
    if (!this.notice.isOpen()) this.items.clear(); // dismissed
    this.go = go;
    this.again = again;
    for (const one of items) this.items.set(one.id, one);
    this.show(true);
  }

  drop(id: string): void {
    this.dropIf((one) => one.id === id);
  }

  dropIf(settled: (one: T) => boolean): void {
    const gone = [...this.items.values()].filter(settled);
    for (const { id } of gone) this.items.delete(id);
    if (gone.length > 0 && this.notice.isOpen()) this.show(false);
  }

  clear(): void {
    this.items.clear();
    this.notice.close();
  }

  private show(isNew: boolean): void {
    if (this.items.size === 0) this.notice.close();
    else this.notice.show(this.say([...this.items.values()], this.go, this.again), isNew);
  }
}

function sayApprovals(items: Approval[], go: Go, again: boolean): Said {
  const [one] = items;
  if (one && items.length === 1) {
    return {
      title: spelled(one.title),
      detail: `${again ? "Still waiting" : "Waiting"} for you · ${format.title(one.workflow)}`,
      tone: "info",
      action: { label: "Open", onSelect: () => go({ to: "/approvals/$id", params: { id: one.id } }) },
    };
  }
  return {
    title: `${format.plural(items.length, again ? "approval" : "new approval")} ${again ? "still " : ""}waiting for you`,
    tone: "info",
    action: { label: "Open the inbox", onSelect: () => go({ to: "/inbox" }) },
  };
}

const word = ({ status }: Pick<Run, "status">, were: string): string =>
  status === "paused" ? `${were} paused` : status === "limit_reached" ? "stopped at a limit" : "failed";
const cut = (text: string) => (text.length > errorMax ? `${text.slice(0, errorMax)}…` : text);

export function sayRuns(
  items: Pick<Run, "id" | "workflow" | "subject" | "status" | "error" | "owner">[],
  go: Go,
): Said {
  const [one] = items;
  const tone = items.every((r) => r.status === "paused") ? "info" : "bad";
  if (one && items.length === 1) {
    const about = [format.title(one.workflow), one.subject && spelled(one.subject)].filter(Boolean).join(" · ");
    return {
      title: `Your run ${word(one, "was")}`,
      detail: one.error ? `${about}: ${cut(spelled(one.error))}` : about,
      tone,
      action: { label: "Open", onSelect: () => go({ to: "/runs/$id", params: { id: one.id } }) },
    };
  }
  const [{ owner = "" } = {}] = items;
  const kinds = [...new Set(items.map((r) => r.status))];
  const what = one && kinds.length === 1 ? word(one, "were") : "stopped";
  return {
    title: `${format.count(items.length)} of your runs ${what}`,
    tone,
    action: { label: "Show them", onSelect: () => go({ to: "/runs", search: { status: kinds.join(","), owner } }) },
  };
}
