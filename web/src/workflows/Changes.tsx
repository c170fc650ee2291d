import { useEffect, useMemo, useRef } from "react";
import type { WorkflowDiff } from "../api";
import type { Change } from "../api/types";
import type { Plan } from "../graph/plan";
import { cn } from "../lib/cn";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { changeWords, fieldName, type Kind, pathOf } from "../words/fields";
import { type Mark, together } from "./model/diff";
import { type Flow, readFlow } from "./model/flow";
import { gateNode, planOfFlow } from "./model/place";
import { nodesMax, PlanPicture } from "./Picture";
import { gateTitle, questionTitle, stepTitle } from "./say";

const opWord: Record<string, string> = { add: "Added", remove: "Removed", replace: "Changed" };

/** What differs between two versions, drawn and in words. Gates that are gone come first, in red. */
export function Changes({ diff, before, after }: { diff: WorkflowDiff; before: string; after: string }) {
  const flows = useMemo(() => ({ old: readFlow(before).flow, now: readFlow(after).flow }), [before, after]);
  const drawn = useMemo(() => both(flows.old, flows.now, diff), [flows, diff]);
  const count = drawn.plan?.nodes.length ?? 0;
  const pane = useRef<HTMLDivElement>(null);
  // The first change comes into view, if possible one that was removed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each picture
  useEffect(() => {
    const box = pane.current?.getBoundingClientRect();
    const find = (marked: string) => pane.current?.querySelector(marked)?.getBoundingClientRect();
    const at = find('[data-mark="removed"]') ?? find("[data-mark]");
    if (!box || !at) return;
    pane.current?.scrollBy(at.left + at.width / 2 - box.left - box.width / 2, at.top - box.top - box.height / 2);
  }, [drawn]);
  const parts = [
    ...diff.gates.map((p) => ({ ...p, kind: "gate" as const })),
    ...diff.steps.map((p) => ({ ...p, kind: "step" as const })),
  ];
  const none = parts.length === 0 && diff.settings.length === 0;
  return (
    <div className="space-y-3">
      <figure aria-label="Both versions, drawn">
        <div
          ref={pane}
          role="group"
          aria-label="The picture, to be scrolled"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: with the keyboard, it is scrolled with the arrow keys
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-sm bg-sunken p-2"
        >
          <PlanPicture plan={drawn.plan} marks={drawn.marks} named className="w-full" />
        </div>
        <figcaption className="mt-1 flex flex-wrap gap-x-4 text-meta text-muted">
          <span className="text-ok-text">Added</span>
          <span className="text-warn-text">Changed</span>
          <span className="text-bad-text">Removed</span>
          {count > nodesMax && (
            <span>
              {nodesMax} of {format.count(count)} are drawn, changes first
            </span>
          )}
        </figcaption>
      </figure>
      {none && <p className="text-muted">Nothing differs but comments or order.</p>}
      {diff.gates_removed.length > 0 && (
        <p role="alert" className="rounded-sm bg-bad-bg p-2 font-medium break-words text-bad-text">
          People are no longer asked at:{" "}
          <Visible text={diff.gates_removed.map((id) => askedAt(flows.old, id)).join(", ")} />
        </p>
      )}
      <ul className="space-y-1 text-control">
        {parts.map((part) => (
          <li key={`${part.kind} ${part.id}`} className="break-words">
            <span
              className={cn(
                "font-medium",
                part.op === "add" && "text-ok-text",
                part.op === "remove" && "text-bad-text",
                part.op === "replace" && "text-warn-text",
              )}
            >
              {opWord[part.op] ?? part.op}
            </span>{" "}
            {part.kind === "gate" ? "approval" : "step"}{" "}
            <Visible text={titleOf(part.op === "remove" ? flows.old : flows.now, part.kind, part.id)} />
            {part.op === "replace" && (
              <ul className="ml-4 text-small text-muted">
                {part.changes.map((change) => (
                  <li key={change.path} className="break-words">
                    <Differs kind={part.kind} change={change} />
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
        {diff.settings.map((change) => (
          <li key={change.path} className="break-words">
            <span className="font-medium text-warn-text">Changed</span> <Differs kind="workflow" change={change} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const shownMax = 400;
const short = (text: string): string => (text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);

/** A field and its values: "If rejected: not set → The run is cancelled". */
function Differs({ kind, change }: { kind: Kind; change: Change }) {
  const full = changeWords(kind, change);
  const brief = full.map(short);
  const [from, to] = brief[0] === brief[1] ? full : brief; // they differ further on
  return (
    <>
      <Visible text={fieldName(kind, pathOf(change.path))} />: <Visible text={from ?? ""} /> →{" "}
      <Visible text={to ?? ""} />
    </>
  );
}

function titleOf(flow: Flow | undefined, kind: "step" | "gate", id: string): string {
  const gate = kind === "gate" ? flow?.gates.find((g) => g.id === id) : undefined;
  return gate ? gateTitle(gate) : stepTitle({ id });
}

/** An approval by its question, or that of a human step. */
function askedAt(flow: Flow | undefined, id: string): string {
  const human = flow?.steps.find((s) => s.human && (s.id === id || (s.human as { id?: string }).id === id));
  return human ? questionTitle(human) : titleOf(flow, "gate", id);
}

/** One plan with the nodes of both versions. */
function both(a: Flow | undefined, b: Flow | undefined, diff: WorkflowDiff): { plan?: Plan; marks: Map<string, Mark> } {
  const marks = new Map<string, Mark>();
  const words: Record<string, Mark> = { add: "added", remove: "removed", replace: "changed" };
  for (const s of diff.steps) marks.set(s.id, words[s.op] ?? "changed");
  for (const g of diff.gates) marks.set(gateNode(g.id), words[g.op] ?? "changed");
  if (!b) return { marks };
  const now = planOfFlow(b);
  return { plan: a ? together(planOfFlow(a), now, marks) : now, marks };
}
