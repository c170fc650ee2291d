import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { approvalQuery } from "../api/approvals";
import { api, attempt, data } from "../api/client";
import { ApiError } from "../api/error";
import { keys } from "../api/queries";
import { toast } from "../ui/Toasts";
import { Decisions, type Doing } from "./decisions";
import { titleText } from "./gist";
import type { Rows } from "./rows";
import { doingText, lateText } from "./say";

/** The decisions made from the list; they are sent when the inbox or the page is left. */
export function useDecisions(
  rows: Rows | undefined,
  say: (text: string) => void,
  open: (id: string) => void,
): Decisions {
  const client = useQueryClient();
  const told = useRef<(doing: Doing) => void>(() => {});
  const [decisions] = useState(
    () =>
      new Decisions({
        send: async (id, decision) => {
          const after = await data(
            api.POST("/api/v1/approvals/{id}/decisions", {
              params: { path: { id }, header: attempt(decision) },
              body: decision,
              keepalive: true, // outlives the page
            }),
          );
          client.setQueryData(keys.approval(id), after);
          return after;
        },
        tell: (doing) => told.current(doing),
      }),
  );
  useEffect(() => {
    told.current = (doing) => {
      void client.invalidateQueries({ queryKey: keys.approvalLists });
      if (doing.phase === "late" || doing.phase === "changed") {
        void client.fetchQuery({ ...approvalQuery(doing.approval.id), staleTime: 0 }).catch(() => undefined);
      }
      tell(doing, { say, open, again: () => decisions.again(doing) });
    };
  });
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

  // What was shown when somebody said yes must still be so when it is sent.
  const changes = rows?.changes;
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again whenever a row changed
  useEffect(() => {
    for (const { approval } of decisions.held) {
      const now = rows?.get(approval.id);
      if (now) decisions.moved(now);
    }
  }, [decisions, rows, changes]);
  return decisions;
}

interface Ways {
  say: (text: string) => void;
  open: (id: string) => void;
  again: () => void;
}

function tell(doing: Doing, { say, open, again }: Ways): void {
  const { id } = doing.approval;
  const title = titleText(doing.approval);
  const look = { label: "Look", onSelect: () => open(id) };
  switch (doing.phase) {
    case "done":
      say(`${doingText(doing)}: ${title}`);
      break;
    case "late":
      toast({ title: lateText(doing), detail: `“${title}”. Your answer did not count.`, action: look, ms: 8000 });
      break;
    case "changed":
      toast({
        title: "It changed since you looked",
        detail: `“${title}”. Nothing was decided; look again.`,
        action: look,
        ms: 8000,
      });
      break;
    case "failed": {
      const passing = doing.error instanceof ApiError && doing.error.passing;
      const hint = doing.error instanceof ApiError ? doing.error.hint : "";
      toast({
        title: `Not decided: ${title}`,
        detail: [doing.error.message, hint].filter(Boolean).join(" "),
        tone: "bad",
        action: passing ? { label: "Try again", onSelect: again } : look,
      });
    }
  }
}
