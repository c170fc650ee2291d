import { memo } from "react";
import type { Approval } from "../api/types";
import { Card } from "../ui/Card";
import { Visible } from "../ui/Visible";
import { approvalReason, format } from "../words";
import { LongText } from "./LongText";
import { isQuestion } from "./words";

/** Why approval is required, and the agent's reasoning. */
export const Why = memo(function Why({ approval: a }: { approval: Approval }) {
  const word = approvalReason[a.reason];
  const Icon = word.icon;
  return (
    <Card title="Why you are asked">
      <div className="space-y-3">
        <div className="flex gap-2">
          <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <div className="min-w-0">
            <p>
              {sentenceOf(a)}
              {a.reason === "gate" && a.gate && <span className="text-muted"> (gate {format.title(a.gate)})</span>}
            </p>
            {a.rule && (
              <p className="mt-1">
                The rule{" "}
                <strong className="font-medium">
                  <Visible text={a.rule.name} />
                </strong>
                {a.rule.reason && ": "}
                <Visible text={a.rule.reason ?? ""} />{" "}
                <span className="text-small text-muted" title={a.rule.policy}>
                  (policy {format.shortId(a.rule.policy)})
                </span>
              </p>
            )}
          </div>
        </div>
        {a.reasoning && (
          <section>
            <h3 className="mb-0.5 text-small text-muted">Agent's reasoning</h3>
            <LongText text={a.reasoning} markdown />
          </section>
        )}
      </div>
    </Card>
  );
});

function sentenceOf(a: Approval): string {
  if (isQuestion(a)) return "The agent wants to know something before it continues.";
  // Choosing an option or filling in a form is not an approval.
  if (a.reason === "gate" && a.kind !== "approval") return "This workflow always asks a person here.";
  if (a.action.type === "replan")
    return "Steps were found for a new requirement; people decide whether the plan changes.";
  return approvalReason[a.reason].sentence;
}
