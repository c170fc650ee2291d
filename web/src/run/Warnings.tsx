import { TriangleAlert } from "lucide-react";
import type { Run } from "../api/types";
import { FoldedText } from "../ui/FoldedText";
import { format } from "../words";

interface Props {
  warnings: Run["warnings"];
  onSelect: (step: string) => void;
}

/** Problems worth knowing that stopped nothing. */
export function Warnings({ warnings, onSelect }: Props) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="rounded-md border bg-warn-bg px-4 py-3 text-warn-text">
      <ul className="space-y-2">
        {warnings.map((warning, i) => (
          <li key={i} className="flex gap-2">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <div className="min-w-0 flex-1">
              <Place warning={warning} onSelect={onSelect} />
              <FoldedText text={warning.message} />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Place({ warning, onSelect }: { warning: Run["warnings"][number]; onSelect: Props["onSelect"] }) {
  const step = stepOf(warning.path);
  if (!step) return null;
  const name = format.title(step);
  return (
    <p className="font-medium">
      <button type="button" className="reach underline" onClick={() => onSelect(step)}>
        {warning.code === "step_failed" ? `The step ${name} failed` : `At the step ${name}`}
      </button>
    </p>
  );
}

/** The step in a path such as "steps.pay" or "steps.pay.output". */
export function stepOf(path: string | undefined): string | undefined {
  return /^steps\.([^.[]+)/.exec(path ?? "")?.[1];
}
