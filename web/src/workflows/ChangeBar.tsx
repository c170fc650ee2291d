import { fieldName } from "../words/fields";
import type { Difference, Mark } from "./model/diff";
import type { Flow } from "./model/flow";
import { gateNode } from "./model/place";
import { gateTitle, stepTitle } from "./say";
import type { Editor } from "./useEditor";

export const markWord: Record<Mark, string> = { added: "Added", changed: "Changed", removed: "Removed" };
export const markLook: Record<Mark, string> = {
  added: "bg-ok-bg text-ok-text",
  changed: "bg-warn-bg text-warn-text",
  removed: "bg-bad-bg text-bad-text",
};

/** A word in the colour of its mark, never the colour alone. */
export function MarkWord({ mark }: { mark: Mark }) {
  return (
    <span className={`shrink-0 rounded-full px-1.5 text-meta font-medium ${markLook[mark]}`}>{markWord[mark]}</span>
  );
}

/** What the draft changes against the published version: the legend of the canvas, and in words. */
export function ChangeBar({
  editor,
  difference,
  version,
}: {
  editor: Editor;
  difference: Difference;
  version: number;
}) {
  return (
    <section
      aria-label={`Changes since version ${version}`}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t px-4 py-2 text-control"
    >
      <h2 className="font-medium">Since version {version}</h2>
      <ChangesInWords flow={editor.flow} difference={difference} />
    </section>
  );
}

/** Which steps and approvals are removed, added and changed. */
export function ChangesInWords({ flow: now, difference }: { flow: Flow; difference: Difference }) {
  const { marks, settings, before } = difference;
  const named = (flow: Flow) => [
    ...flow.gates.map((g) => ({ node: gateNode(g.id), name: `approval ${gateTitle(g)}` })),
    ...flow.steps.map((s) => ({ node: s.id, name: `step ${stepTitle(s)}` })),
  ];
  const of = (mark: Mark) =>
    named(mark === "removed" ? before : now).flatMap(({ node, name }) => (marks.get(node) === mark ? name : []));
  const none = marks.size === 0 && settings.length === 0;
  return (
    <>
      {none && <span className="text-muted">Nothing differs but comments or order.</span>}
      {(["removed", "added", "changed"] as const).map((mark) => {
        const names = of(mark);
        return (
          names.length > 0 && (
            <span key={mark} className="flex min-w-0 items-center gap-1.5">
              <MarkWord mark={mark} />
              <span className="min-w-0 break-words">{names.join(", ")}</span>
            </span>
          )
        );
      })}
      {settings.length > 0 && (
        <span className="flex min-w-0 items-center gap-1.5">
          <MarkWord mark="changed" />
          <span className="min-w-0 break-words">
            settings: {settings.map((s) => fieldName("workflow", [s])).join(", ")}
          </span>
        </span>
      )}
    </>
  );
}
