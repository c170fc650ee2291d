import { ApiError } from "../api/error";
import type { Approval, Decision } from "../api/types";
import { graceFor } from "./undo";

/** The progress of this user's decision on an approval. */
export type Doing = { approval: Approval; decision: Decision; error?: Error } & (
  | { phase: "held"; until: number }
  | { phase: "sending" }
  | { phase: "done"; after: Approval }
  | { phase: "late"; by: string; act: string; at: string }
  | { phase: "changed" }
  | { phase: "failed"; error: Error }
);

interface Surroundings {
  send: (id: string, decision: Decision) => Promise<Approval>;
  /** Called when a decision is done, and whenever one did not go as intended. */
  tell: (doing: Doing) => void;
  now?: () => number;
}

// The one place that sends decisions, whatever shows the approval: its page, the pane, the list, a run or its thread.
// Each is held before it is sent (undo.ts) and has its own five seconds: deciding the next one does not send it early.
// It applies to the version that was seen, and only one at a time is sent per approval: the second of two hasty clicks
// may come before the first has any visible effect.

/** The decisions of one user in progress. */
export class Decisions {
  /** Increases with every change, for React. */
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

  /** Those that can still be undone, latest last. */
  get held(): Extract<Doing, { phase: "held" }>[] {
    return [...this.doings.values()].filter((d) => d.phase === "held");
  }

  /** Decides on the version that was seen. */
  decide(approval: Approval, given: Omit<Decision, "version">): void {
    if (this.busy(approval)) return;
    const decision: Decision = { ...given, version: approval.version };
    const wait = graceFor(approval, this.now());
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

  /** One is being sent, or its result is not shown yet. */
  busy({ id, version }: Pick<Approval, "id" | "version">): boolean {
    const doing = this.doings.get(id);
    if (doing?.phase === "done") return version < doing.after.version;
    return doing?.phase === "held" || doing?.phase === "sending";
  }

  /** Resends the same attempt; the server recognizes it by its key. */
  again(doing: Doing): void {
    void this.send(doing);
  }

  /** Undoes the latest decision not sent yet, or the given one. */
  undo(id?: string): Approval | undefined {
    const doing = id ? this.doings.get(id) : this.held.at(-1);
    if (doing?.phase !== "held") return undefined;
    this.forget(doing.approval.id);
    return doing.approval;
  }

  /** Sends all held decisions now. */
  flush(): void {
    for (const doing of this.held) void this.send(doing);
  }

  /** The approval changed while the decision was held, so the approved version is out of date. */
  moved(approval: Approval): void {
    const doing = this.doings.get(approval.id);
    if (doing?.phase !== "held") return;
    const drafts = (approval.drafts ?? 0) > (doing.approval.drafts ?? 0); // a file that has not been seen
    if (approval.version === doing.decision.version && !drafts) return;
    this.end(
      approval.status === "pending"
        ? { ...base(doing), approval, phase: "changed" }
        : { ...base(doing), approval, phase: "late", ...whoSettled(approval) },
    );
  }

  /** Clears the state of an approval. */
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
        error,
        by: error.decided?.by ?? "",
        act: error.decided?.act ?? "",
        at: error.decided?.at ?? "",
      } as const;
    }
    if (error.code === "version_mismatch") return { phase: "changed", error } as const;
  }
  return { phase: "failed", error: error instanceof Error ? error : new Error(String(error)) } as const;
}
