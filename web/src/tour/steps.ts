import type { Approval } from "../api/types";
import { graceFor, graceMs } from "../lib/undo";

/** One step of the tour. */
export interface Step {
  /** The page it is about. */
  on: "inbox" | "approval";
  title: string;
  text: string;
  /** What it points at: the first of these that is visible. */
  at: string[];
  /** The button that leads on. */
  next: string;
}

/** What the steps depend on. */
export interface About {
  approval: Approval | undefined;
  mayStop: boolean;
  /** The list shows the approval beside it, so it need not be opened. */
  pane: boolean;
  now: number;
}

/** The steps, in order. The last one ends when the user decides. */
export function stepsFor({ approval, mayStop, pane, now }: About): Step[] {
  return [
    {
      on: "inbox",
      title: "This is waiting for you",
      text: "An agent or a workflow stopped here and asks before it continues. Each row is one request.",
      at: ["[data-row]"],
      next: "Next",
    },
    {
      on: "inbox",
      title: mayStop ? "Runs, and the emergency stop" : "Where the work continues",
      text: `Runs shows everything that is running and what it waits for.${
        mayStop ? " The emergency stop at the top turns off all approvals by rules: people decide everything." : ""
      }`,
      at: ['nav a[href="/runs"]'],
      next: pane ? "Next" : "Open the request",
    },
    {
      on: "approval",
      title: "Exactly what would happen",
      text: "What you approve is what you see: these values are used, and no others. Often you can edit them first.",
      at: ["[data-decides] #proposal", "[data-decides] header", "[data-decides]"],
      next: "Next",
    },
    {
      on: "approval",
      title: "What yes and no do",
      text: "Before you answer, this tells you what each answer does to the run. If you reject, you say why.",
      at: ["[data-decides] #happens", "[data-decides]"],
      next: "Next",
    },
    {
      on: "approval",
      title: "Your turn",
      text: `Read the request, then ${answers(approval)}${undoText(approval, now)}`,
      at: ["[data-decides] [data-answers]"],
      next: "Go to the request",
    },
  ];
}

function answers(approval: Approval | undefined): string {
  const acts = approval?.acts ?? [];
  if (acts.includes("choose")) return "choose an option.";
  if (acts.includes("submit")) return "fill in the form and submit it.";
  return acts.includes("reject") ? "approve or reject it." : "approve it.";
}

function undoText(approval: Approval | undefined, now: number): string {
  if (!approval || graceFor(approval, now) === 0) return " Your answer counts at once.";
  return ` You then have ${graceMs / 1000} seconds to undo it.`;
}
