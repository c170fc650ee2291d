import { useEffect, useRef, useState } from "react";
import type { Approval, Decision } from "../api/types";
import { graceFor } from "../lib/undo";

/** A decision that was made and not sent yet. */
export interface Held {
  decision: Decision;
  /** When it is sent, in milliseconds. */
  until: number;
}

interface Around {
  send: (decision: Decision) => void;
  /** The approval changed while the decision was held, so it is not sent. */
  onMoved: () => void;
}

/** Holds a decision for a moment before it is sent, so that it can be taken back. */
export function useHold(approval: Approval, around: Around) {
  const [held, setHeld] = useState<Held>();
  const latest = useRef({ held: undefined as Held | undefined, around });
  latest.current.around = around;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const set = (next: Held | undefined) => {
    clearTimeout(timer.current);
    latest.current.held = next;
    setHeld(next);
  };
  const sendNow = useRef(() => {
    const decision = latest.current.held?.decision;
    if (!decision) return;
    set(undefined);
    latest.current.around.send(decision);
  }).current;

  useEffect(() => {
    const hide = () => document.hidden && sendNow();
    document.addEventListener("visibilitychange", hide);
    window.addEventListener("pagehide", sendNow);
    return () => {
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("pagehide", sendNow);
      sendNow();
    };
  }, [sendNow]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: looks whenever the approval is another than the one decided
  useEffect(() => {
    if (!held || approval.version === held.decision.version) return;
    set(undefined);
    latest.current.around.onMoved();
  }, [approval.version, held]);

  return {
    held,
    /** Holds it; false where it has to be sent at once. */
    hold: (decision: Decision): boolean => {
      const wait = graceFor(approval, Date.now());
      if (wait === 0) return false;
      set({ decision, until: Date.now() + wait });
      timer.current = setTimeout(sendNow, wait);
      return true;
    },
    undo: () => set(undefined),
  };
}
