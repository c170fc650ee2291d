import { useQueryClient } from "@tanstack/react-query";
import { approvalQuery } from "../api/approvals";
import { ApiError } from "../api/error";
import type { Decisions, Doing } from "../lib/decisions";
import { useDecisions as useAllDecisions } from "../lib/useDecisions";
import { inWords } from "../ui/inWords";
import { toast } from "../ui/Toasts";
import { titleText } from "./gist";
import type { Rows } from "./rows";
import { doingText, lateText } from "./say";

/** The decisions made from the list. */
export function useDecisions(
  rows: Rows | undefined,
  say: (text: string) => void,
  open: (id: string) => void,
): Decisions {
  const client = useQueryClient();
  const decisions = useAllDecisions({
    latest: (id) => rows?.get(id),
    tell: (doing) => {
      if (doing.phase === "late" || doing.phase === "changed") {
        void client.fetchQuery({ ...approvalQuery(doing.approval.id), staleTime: 0 }).catch(() => undefined);
      }
      tell(doing, { say, open, again: () => decisions.again(doing) });
    },
  });
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
      toast({
        title: `Not decided: ${title}`,
        detail: inWords(doing.error),
        tone: "bad",
        action: passing ? { label: "Try again", onSelect: again } : look,
      });
    }
  }
}
