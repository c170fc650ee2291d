import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { sendDecision } from "../api/approvals";
import type { Approval } from "../api/types";
import { Decisions, type Doing } from "./decisions";

interface Around {
  /** The approval as shown now; undefined if it is not shown. */
  latest: (id: string) => Approval | undefined;
  /** Called when a decision is done, and whenever one did not go as intended. */
  tell: (doing: Doing) => void;
}

/** The decisions made in one place. They are sent when it unmounts, or the page is hidden or left. */
export function useDecisions({ latest, tell }: Around): Decisions {
  const client = useQueryClient();
  const told = useRef(tell);
  told.current = tell;
  const [decisions] = useState(
    () =>
      new Decisions({
        send: (id, decision) => sendDecision(client, id, decision),
        tell: (doing) => told.current(doing),
      }),
  );
  useSyncExternalStore(decisions.subscribe, () => decisions.changes);

  useEffect(() => {
    const hide = () => document.hidden && decisions.flush();
    const leave = () => decisions.flush();
    document.addEventListener("visibilitychange", hide);
    window.addEventListener("pagehide", leave);
    return () => {
      document.removeEventListener("visibilitychange", hide);
      window.removeEventListener("pagehide", leave);
      decisions.flush();
    };
  }, [decisions]);

  // The approved version must still be current when the decision is sent.
  useEffect(() => {
    for (const { approval } of decisions.held) {
      const now = latest(approval.id);
      if (now) decisions.moved(now);
    }
  });
  return decisions;
}
