import { Diff } from "../ui";
import { Badge } from "../ui/Badge";
import { Visible } from "../ui/Visible";
import type { Tone } from "../words";
import { wordsOf } from "../words/fields";
import type { RuleChange } from "./changes";
import { actionParts, whenText } from "./say";

const kinds: Record<RuleChange["kind"], { label: string; tone: Tone }> = {
  added: { label: "Added", tone: "ok" },
  removed: { label: "Removed", tone: "bad" },
  changed: { label: "Changed", tone: "info" },
  moved: { label: "Moved", tone: "neutral" },
};

const ruleWords = wordsOf("rule");

/** The differences between two policies, rule by rule. */
export function RuleChanges({ changes }: { changes: RuleChange[] }) {
  if (changes.length === 0) return <p className="text-muted">No differences.</p>;
  return (
    <ul className="space-y-3" aria-label="Differences">
      {changes.map((one) => (
        <li key={`${one.kind} ${one.name}`} className="rounded-sm border p-3">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            <Badge tone={kinds[one.kind].tone}>{kinds[one.kind].label}</Badge>
            <Visible text={one.name} />
          </p>
          {one.kind === "moved" && <p className="mt-1 text-small text-muted">Priority {one.card.priority}</p>}
          {(one.kind === "added" || one.kind === "removed") && (
            <p className="mt-1 text-small break-words text-muted">
              <Visible text={`When ${whenText(one.card.trigger)}: ${actionParts(one.card).join(" · ")}`} />
            </p>
          )}
          {one.changes.length > 0 && (
            <div className="mt-2">
              <Diff changes={one.changes} words={ruleWords} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
