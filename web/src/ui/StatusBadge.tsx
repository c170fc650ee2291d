import type { ApprovalStatus, RunStatus, StepStatus } from "../api/types";
import { approvalStatus, cancelling, runStatus, stepStatus, type Word } from "../words";
import { Badge } from "./Badge";

type Props = (
  | { run: RunStatus /** Cancelled, but not ended yet. */; cancelling?: boolean }
  | { step: StepStatus }
  | { approval: ApprovalStatus }
) & { className?: string };

/** The status of a run, a step or an approval. */
export function StatusBadge(props: Props) {
  const word = wordOf(props);
  return (
    <Badge tone={word.tone} icon={word.icon} title={word.sentence} className={props.className}>
      {word.label}
    </Badge>
  );
}

function wordOf(props: Props): Word {
  if ("run" in props) return props.cancelling && props.run === "running" ? cancelling : runStatus[props.run];
  if ("step" in props) return stepStatus[props.step];
  return approvalStatus[props.approval];
}
