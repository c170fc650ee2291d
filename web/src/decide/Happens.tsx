import { Check, Clock, Undo2, X } from "lucide-react";
import type { ReactNode } from "react";
import { useRun } from "../api/runs";
import type { Approval, Step } from "../api/types";
import { Card } from "../ui/Card";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { atDeadline } from "../words/timeout";
import { LongText } from "./LongText";
import type { Desk } from "./useDesk";
import { ifRejected, sentence } from "./words";

const shownNext = 4;

/** The effect of each answer, and of no answer. */
export function Happens({ desk }: { desk: Desk }) {
  const { approval: a } = desk;
  const steps = useRun(a.run).data?.steps;
  if (!desk.pending) return null;
  const rejected = ifRejected(a);
  const next = nextSteps(a, steps ?? []);
  return (
    <Card id="happens" title="What happens">
      <dl className="space-y-3">
        <Answer icon={<Check className="text-ok-text" />} name={`If you ${verbs[a.kind] ?? "approve"}`}>
          <Visible text={ifApproved(a)} />
          {next.length > 0 && (
            <span className="text-muted">
              {" Next: "}
              <Visible text={next.map(({ id }) => format.title(id)).join(" → ")} />
            </span>
          )}
        </Answer>
        {rejected && (
          <Answer icon={<X className="text-bad-text" />} name="If you reject">
            <LongText text={rejected} />
          </Answer>
        )}
        {desk.can("request_revision") && (
          <Answer icon={<Undo2 className="text-info-text" />} name="If you ask for a revision">
            The work is repeated with your comments, and you&apos;ll be asked again.
          </Answer>
        )}
        {((a.deadline_at && a.on_timeout) || (!a.deadline_at && a.pause_at)) && (
          <Answer icon={<Clock className="text-muted" />} name="Without an answer">
            <Visible text={a.deadline_at ? sentence(atDeadline(a)) : "The run pauses"} />{" "}
            <Time at={a.deadline_at ?? a.pause_at ?? ""} />.
          </Answer>
        )}
      </dl>
    </Card>
  );
}

function Answer({ icon, name, children }: { icon: ReactNode; name: string; children: ReactNode }) {
  return (
    <div className="relative min-w-0 pl-6">
      <dt className="text-small text-muted">
        <span aria-hidden className="absolute top-0.5 left-0 [&_svg]:size-4">
          {icon}
        </span>
        {name}
      </dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

const verbs: Partial<Record<Approval["kind"], string>> = { choice: "choose", input: "submit" };

/** The effect of an approval, in a sentence. */
export function ifApproved(a: Approval): string {
  const left = a.quorum.needed - a.quorum.given;
  const effect = sentence(effectOf(a));
  return left > 1 ? `${effect} It takes ${format.count(left)} more approvals, yours among them.` : effect;
}

function effectOf(a: Approval): string {
  const agent = a.agent ? format.title(a.agent) : "The workflow";
  if (a.kind === "choice" || a.kind === "input") return `${agent} continues with your answer.`;
  switch (a.action.type) {
    case "tool_call":
      return `${format.title(a.action.tool || "the tool")} is called once with exactly these values, and ${agent} continues.`;
    case "step":
      return `${format.title(a.step)} runs with exactly these values.`;
    case "result":
      return "This result is accepted and passed on.";
    case "run":
      return "The run starts.";
    case "output":
      return "The run completes with this result.";
    case "limit":
      return `${agent} continues with a higher limit.`;
    case "replan":
      return "These steps are added to the plan, and the run continues. A tool that needs approval asks again before it is called.";
    default:
      return "The run continues.";
  }
}

/** Steps after this one that have not started, in order. */
export function nextSteps(a: Approval, steps: Step[]): Step[] {
  if (a.action.type === "tool_call" || a.action.type === "output" || !a.step) return [];
  const after = new Set([a.step]);
  const waiting = steps.filter((s) => s.status === "pending").sort((x, y) => x.layer - y.layer);
  return waiting
    .filter((s) => {
      const follows = s.id !== a.step && s.needs.some((need) => after.has(need));
      if (follows) after.add(s.id);
      return follows;
    })
    .slice(0, shownNext);
}
