import { GitCompareArrows } from "lucide-react";
import type { Approval } from "../api/types";
import { Visible } from "../ui/Visible";
import { changeText } from "../words/changed";

/** Approved earlier, and asked again because the action to run has changed since. */
export function Changed({ approval }: { approval: Approval }) {
  const { changed } = approval;
  if (!changed?.length || approval.status !== "pending") return null;
  return (
    <section
      aria-label="Changed since it was approved"
      className="motion-pop flex gap-2 rounded-md border bg-warn-bg px-4 py-3 text-warn-text"
    >
      <GitCompareArrows aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0">
        {changed.map((change) => (
          <p
            key={`${change.kind} ${change.name}`}
            className="font-semibold break-words"
            title={[change.from, change.to].filter(Boolean).join(" → ")}
          >
            <Visible text={changeText(change)} />
          </p>
        ))}
        <p className="mt-0.5">Check again. The earlier approval no longer counts.</p>
      </div>
    </section>
  );
}
