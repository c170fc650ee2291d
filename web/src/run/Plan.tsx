import { CornerDownRight, MessageSquareQuote, Plus } from "lucide-react";
import { useMemo } from "react";
import type { Event, Run, Step } from "../api/types";
import { Ahead } from "../graph/ahead";
import { cn } from "../lib/cn";
import { Badge } from "../ui/Badge";
import { FoldedText } from "../ui/FoldedText";
import { Time } from "../ui/Time";
import { Visible } from "../ui/Visible";
import { format, skipReason, stepStatus } from "../words";
import { adviceWord } from "../words/changed";
import { type Consultation, type Layer, layersOf } from "./layers";

/** The plan layer by layer: how each step came to be, and what was said at the decision points between them. */
export function Plan({ run, events, onSelect }: { run: Run; events: Event[]; onSelect: (step?: string) => void }) {
  const layers = useMemo(() => layersOf(run, events), [run, events]);
  return (
    <ol aria-label="Layers" className="divide-y">
      {layers.map((layer) => (
        <li key={layer.number} className="px-4 py-3">
          <h3 className="mb-2 text-small font-medium text-muted">Layer {layer.number + 1}</h3>
          <ul aria-label={`Steps of layer ${layer.number + 1}`} className="flex flex-wrap gap-2">
            {layer.steps.map((step) => (
              <li key={step.id} className="min-w-0">
                <OneStep step={step} onSelect={onSelect} />
              </li>
            ))}
          </ul>
          <Point layer={layer} />
        </li>
      ))}
    </ol>
  );
}

/** Added steps have a dashed edge, skipped ones a line through their name; both are also said in words. */
function OneStep({ step, onSelect }: { step: Step; onSelect: (step?: string) => void }) {
  const word = stepStatus[step.status];
  const skipped = step.status === "skipped";
  return (
    <button
      type="button"
      onClick={() => onSelect(step.id)}
      className={cn(
        "flex min-h-(--tap) max-w-full flex-wrap items-center gap-x-2 gap-y-1 rounded-sm border px-3 py-1 text-left hover:bg-hover",
        step.injected && "border-dashed border-accent",
      )}
    >
      <span className={cn("min-w-0 font-medium break-words", skipped && "text-muted line-through")}>
        <Visible text={format.title(step.id)} />
      </span>
      {step.injected && (
        <Badge tone="accent" icon={Plus} title="Added while the run was in progress.">
          Added
        </Badge>
      )}
      <Ahead ahead={step.ahead} />
      <Badge tone={word.tone} icon={word.icon} title={word.sentence}>
        {step.skipped ? `${word.label}: ${skipReason[step.skipped].label.toLowerCase()}` : word.label}
      </Badge>
    </button>
  );
}

function Point({ layer }: { layer: Layer }) {
  if (layer.consultations.length === 0 && layer.changes.length === 0) return null;
  return (
    <section aria-label={`Decision point after layer ${layer.number + 1}`} className="mt-3 space-y-2 border-l-2 pl-3">
      {layer.consultations.map((one) => (
        <Said key={one.n} one={one} />
      ))}
      {layer.changes.map((change) => (
        <p key={change.seq} className="flex gap-2 break-words">
          <CornerDownRight aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <span className="min-w-0">
            {change.atPoint ? "People changed the plan" : "The plan changed"}
            {change.added.length > 0 && <>: added {change.added.map(format.title).join(", ")}</>}
            {change.why && (
              <span className="block text-small text-muted">
                For: <Visible text={change.why} />
              </span>
            )}
          </span>
        </p>
      ))}
    </section>
  );
}

/** What the agent in the loop said. */
function Said({ one }: { one: Consultation }) {
  const who = one.agent ? format.title(one.agent) : "The planner";
  return (
    <div className="flex gap-2">
      <MessageSquareQuote aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
      <div className="min-w-0 break-words">
        <p>
          <span className="font-medium">
            <Visible text={who} />
          </span>{" "}
          {one.action === ""
            ? "was asked"
            : one.fallback
              ? `gave no usable answer, so the default was used: ${adviceWord[one.action] ?? one.action}`
              : `advised to ${adviceWord[one.action] ?? one.action}`}
          {one.failed && <> after {format.title(one.failed)} failed</>}
          <span className="text-small text-muted">
            {" · "}
            <Time at={one.at} />
            {one.unusable > 0 && ` · asked again ${format.plural(one.unusable, "time")}`}
          </span>
        </p>
        {one.requirement && (
          <p className="text-small text-muted">
            Asked for “<Visible text={one.requirement} />
            ”.
          </p>
        )}
        {(one.reasoning || one.summary) && <FoldedText text={one.reasoning || one.summary} />}
      </div>
    </div>
  );
}
