import { useMemo } from "react";
import type { WorkflowDiff } from "../api";
import type { Plan } from "../graph/plan";
import { compact, type Raw, treeOf } from "../json";
import { cn } from "../lib/cn";
import { format } from "../words";
import { type Mark, together } from "./model/diff";
import { readFlow } from "./model/flow";
import { gateNode, planOfFlow } from "./model/place";
import { PlanPicture } from "./Picture";

/** What differs between two versions, drawn and in words. Gates that are gone come first, in red. */
export function Changes({ diff, before, after }: { diff: WorkflowDiff; before: string; after: string }) {
  const drawn = useMemo(() => both(before, after, diff), [before, after, diff]);
  const parts = [
    ...diff.gates.map((p) => ({ ...p, kind: "Gate" })),
    ...diff.steps.map((p) => ({ ...p, kind: "Step" })),
  ];
  const none = parts.length === 0 && diff.settings.length === 0;
  return (
    <div className="space-y-3">
      <figure aria-label="Both versions, drawn">
        <PlanPicture plan={drawn.plan} marks={drawn.marks} named className="h-44 w-full rounded-sm bg-sunken p-2" />
        <figcaption className="mt-1 flex flex-wrap gap-x-4 text-meta text-muted">
          <span className="text-ok-text">Added</span>
          <span className="text-warn-text">Changed</span>
          <span className="text-bad-text">Removed</span>
        </figcaption>
      </figure>
      {none && <p className="text-muted">Nothing differs but comments or order.</p>}
      {diff.gates_removed.length > 0 && (
        <p role="alert" className="rounded-sm bg-bad-bg p-2 font-medium text-bad-text">
          People are no longer asked at: {diff.gates_removed.map(format.title).join(", ")}
        </p>
      )}
      <ul className="space-y-1 text-control">
        {parts.map((part) => (
          <li key={`${part.kind} ${part.id}`}>
            <span
              className={cn(
                "font-medium",
                part.op === "add" && "text-ok-text",
                part.op === "remove" && "text-bad-text",
                part.op === "replace" && "text-warn-text",
              )}
            >
              {part.op === "add" ? "Added" : part.op === "remove" ? "Removed" : "Changed"}
            </span>{" "}
            {part.kind.toLowerCase()} {format.title(part.id)}
            {part.op === "replace" && (
              <ul className="ml-4 text-small text-muted">
                {part.changes.map((change) => (
                  <li key={change.path} className="break-words">
                    {change.path.replace(/^\//, "").replaceAll("/", ".")}: {text(change.from)} → {text(change.to)}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
        {diff.settings.map((change) => (
          <li key={change.path} className="break-words">
            <span className="font-medium text-warn-text">Changed</span>{" "}
            {change.path.replace(/^\//, "").replaceAll("/", ".")}: {text(change.from)} → {text(change.to)}
          </li>
        ))}
      </ul>
    </div>
  );
}

const shownMax = 120;

function text(value: Raw | null | undefined): string {
  if (value === undefined || value === null) return "not set";
  const all = compact(treeOf(value));
  return all.length > shownMax ? `${all.slice(0, shownMax)}…` : all;
}

/** One plan with the nodes of both versions. */
function both(before: string, after: string, diff: WorkflowDiff): { plan?: Plan; marks: Map<string, Mark> } {
  const marks = new Map<string, Mark>();
  const words: Record<string, Mark> = { add: "added", remove: "removed", replace: "changed" };
  for (const s of diff.steps) marks.set(s.id, words[s.op] ?? "changed");
  for (const g of diff.gates) marks.set(gateNode(g.id), words[g.op] ?? "changed");
  const [a, b] = [readFlow(before).flow, readFlow(after).flow];
  if (!b) return { marks };
  const now = planOfFlow(b);
  return { plan: a ? together(planOfFlow(a), now, marks) : now, marks };
}
