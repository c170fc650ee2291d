import type { Approval } from "../api/types";
import { ConfidenceBar, confidenceBand, stated } from "../ui/ConfidenceBar";
import { Visible } from "../ui/Visible";
import { format } from "../words";

/** The confidence of a proposal and the result it comes from. Unknown is shown plainly: it is not a reassurance. */
export function Confidence({ approval }: { approval: Approval }) {
  const { confidence_source: source } = approval;
  if (source?.step === "input") return <span>{sourceText(null, source)}</span>;
  const confidence = stated(approval);
  return (
    <>
      {confidence === null ? <span className="font-medium">Unknown</span> : <ConfidenceBar confidence={confidence} />}
      <div className="mt-0.5 text-small text-muted">
        {source ? <Visible text={sourceText(confidence, source)} /> : bandText(confidence)}
      </div>
    </>
  );
}

type Source = NonNullable<Approval["confidence_source"]>;

/** "0.62 from Extract · Extractor"; if no confidence was stated, the step and agent that omitted it. */
export function sourceText(confidence: number | null, { step, agent }: Source): string {
  if (step === "input") return "Given in the run's input, not proposed by an agent.";
  const where = [step && format.title(step), agent && format.title(agent)].filter(Boolean).join(" · ");
  if (confidence === null) return where ? `${where} stated no confidence. Check it yourself.` : bandText(null);
  return where ? `${confidence} from ${where}` : bandText(confidence);
}

function bandText(confidence: number | null): string {
  return confidence === null ? "No agent stated a confidence. Check it yourself." : confidenceBand(confidence).sentence;
}
