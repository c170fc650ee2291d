import { ApiError } from "../api/error";
import type { Act, Approval, Decision } from "../api/types";
import { undoOn } from "./settings";

/** How long a decision from the list can be taken back. */
export const graceMs = 5000;

/** The seconds until a held decision is sent. The page's clock may be a second late, but never says more than five. */
export const secondsLeft = (until: number, now: number) =>
  Math.min(graceMs / 1000, Math.max(0, Math.ceil((until - now) / 1000)));

/** What is happening to a row by this person's hand. */
export type Doing = { approval: Approval; decision: Decision } & (
  | { phase: "held"; until: number }
  | { phase: "sending" }
  | { phase: "done"; after: Approval }
  | { phase: "late"; by: string; act: string; at: string }
  | { phase: "changed" }
  | { phase: "failed"; error: Error }
);

interface Surroundings {
  send: (id: string, decision: Decision) => Promise<Approval>;
  /** Told of everything that did not go as the person wanted, and of what was done. */
  tell: (doing: Doing) => void;
  now?: () => number;
}

// Undo. The server knows no "undo": a decision that was sent has consequences
// at once. So one that is made from the list is held here first, and the row
// says so. It is sent
//   – when its five seconds are over,
//   – when the page is hidden or left, or the inbox is: where nobody can see
//     "Undo" any more, there is none,
//   – never early because the next one is decided: each has its own five seconds.
// It is not sent, and the person is told, when the approval was changed or
// settled by somebody else meanwhile: the yes was for what was on the screen.
// Nothing is held where the risk is critical (that is never decided from the
// list at all), where the deadline falls into the five seconds, for batches
// (those ask before), and for people who switched it off.

/** The decisions of one person in the list, on their way. */
export class Decisions {
  /** Rises with every change, for React. */
  changes = 0;
  private readonly doings = new Map<string, Doing>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly listeners = new Set<() => void>();

  constructor(private readonly around: Surroundings) {}

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get(id: string): Doing | undefined {
    return this.doings.get(id);
  }

  /** Those that can still be taken back, the latest last. */
  get held(): Extract<Doing, { phase: "held" }>[] {
    return [...this.doings.values()].filter((d) => d.phase === "held");
  }

  decide(approval: Approval, given: { act: Act; comment?: string }): void {
    const busy = this.doings.get(approval.id)?.phase;
    if (busy === "held" || busy === "sending") return;
    const decision: Decision = { ...given, version: approval.version };
    const wait = this.waitFor(approval);
    if (wait === 0) {
      void this.send({ approval, decision });
      return;
    }
    this.set({ approval, decision, phase: "held", until: this.now() + wait });
    this.timers.set(
      approval.id,
      setTimeout(() => void this.send({ approval, decision }), wait),
    );
  }

  /** Sends the very same attempt again; the server knows it by its key. */
  again(doing: Doing): void {
    void this.send(doing);
  }

  /** Takes back the latest that was not sent yet, or the given one. */
  undo(id?: string): Approval | undefined {
    const doing = id ? this.doings.get(id) : this.held.at(-1);
    if (doing?.phase !== "held") return undefined;
    this.forget(doing.approval.id);
    return doing.approval;
  }

  /** Sends all that is held, now. */
  flush(): void {
    for (const doing of this.held) void this.send(doing);
  }

  /** Somebody else moved it while it was held: what the person said yes to is no more. */
  moved(approval: Approval): void {
    const doing = this.doings.get(approval.id);
    if (doing?.phase !== "held" || approval.version === doing.decision.version) return;
    this.end(
      approval.status === "pending"
        ? { ...base(doing), approval, phase: "changed" }
        : { ...base(doing), approval, phase: "late", ...whoSettled(approval) },
    );
  }

  /** Ends what is said about a row. */
  forget(id: string): void {
    this.clear(id);
    if (this.doings.delete(id)) this.changed();
  }

  private async send({ approval, decision }: Pick<Doing, "approval" | "decision">): Promise<void> {
    this.set({ approval, decision, phase: "sending" });
    try {
      this.end({ approval, decision, phase: "done", after: await this.around.send(approval.id, decision) });
    } catch (error) {
      this.end({ approval, decision, ...troubleOf(error) });
    }
  }

  private end(doing: Doing): void {
    this.set(doing);
    this.around.tell(doing);
  }

  private set(doing: Doing): void {
    this.clear(doing.approval.id);
    this.doings.delete(doing.approval.id);
    this.doings.set(doing.approval.id, doing);
    this.changed();
  }

  private clear(id: string): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
  }

  private changed(): void {
    this.changes++;
    for (const listener of this.listeners) listener();
  }

  private waitFor(approval: Approval): number {
    if (!undoOn() || approval.risk.level === "critical") return 0;
    const left = approval.deadline_at ? Date.parse(approval.deadline_at) - this.now() : Number.POSITIVE_INFINITY;
    return left < graceMs * 2 ? 0 : graceMs;
  }

  private now(): number {
    return (this.around.now ?? Date.now)();
  }
}

const base = ({ decision }: Doing) => ({ decision });

function whoSettled({ outcome, status }: Approval): { by: string; act: string; at: string } {
  return { by: outcome?.by ?? "", act: outcome?.act ?? status, at: outcome?.at ?? "" };
}

function troubleOf(error: unknown) {
  if (error instanceof ApiError) {
    if (error.code === "already_decided") {
      return {
        phase: "late",
        by: error.decided?.by ?? "",
        act: error.decided?.act ?? "",
        at: error.decided?.at ?? "",
      } as const;
    }
    if (error.code === "version_mismatch") return { phase: "changed" } as const;
  }
  return { phase: "failed", error: error instanceof Error ? error : new Error(String(error)) } as const;
}
