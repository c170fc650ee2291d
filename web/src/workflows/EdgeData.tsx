import { ViewportPortal } from "@xyflow/react";
import { type KeyboardEvent, memo, useMemo, useState } from "react";
import { sizeOf } from "../graph/layout";
import type { Plan } from "../graph/plan";
import { compact, plainText, type Raw, type Tree, treeOf } from "../json";
import { cn } from "../lib/cn";
import { Visible } from "../ui/Visible";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { format } from "../words";
import type { Point } from "./model/place";
import { stepTitle } from "./say";
import type { Edge, EdgeValue, Picked } from "./studio";

const labelsMax = 120;
const wide = 160;

/** A small label on every edge with what passes along it; it opens the value. */
export const EdgeData = memo(function EdgeData(props: {
  plan: Plan;
  places: ReadonlyMap<string, Point>;
  dataOf: (edge: Edge) => EdgeValue | undefined;
  edgeOf: (id: string) => Edge | undefined;
  picked?: Picked;
  near?: string;
  onPick: (picked: Picked) => void;
}) {
  const { plan, places, dataOf, edgeOf, picked, near, onPick } = props;
  const sizes = useMemo(() => new Map(plan.nodes.map((n) => [n.id, sizeOf(n)])), [plan]);
  // Of many edges, those of the chosen step.
  const edges = useMemo(
    () => (plan.edges.length <= labelsMax ? plan.edges : plan.edges.filter((e) => e.from === near || e.to === near)),
    [plan, near],
  );
  // One label is in the order of tabs, and the arrow keys lead to the others.
  const labelled = edges.filter((line) => {
    const edge = edgeOf(line.id);
    return edge !== undefined && dataOf(edge) !== undefined && places.has(line.from) && places.has(line.to);
  });
  const [at, setAt] = useState<string>();
  const entry = [at, picked?.id, labelled[0]?.id].find((id) => labelled.some((line) => line.id === id));
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>, id: string) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = labelled[labelled.findIndex((line) => line.id === id) + by]?.id;
    if (next === undefined) return;
    setAt(next);
    event.currentTarget
      .closest(".flow")
      ?.querySelector<HTMLElement>(`[data-label="${CSS.escape(next)}"]`)
      ?.focus();
  };
  return (
    <ViewportPortal>
      {edges.map((line) => {
        const edge = edgeOf(line.id);
        const data = edge && dataOf(edge);
        const [a, b] = [places.get(line.from), places.get(line.to)];
        const [from, to] = [sizes.get(line.from), sizes.get(line.to)];
        if (!edge || !data || !a || !b || !from || !to) return null;
        const x = (a.x + from.width / 2 + b.x + to.width / 2) / 2;
        const y = (a.y + from.height + b.y) / 2;
        const here = picked?.kind === "edge" && picked.id === line.id;
        const name = edgeName(edge);
        return (
          <button
            key={line.id}
            type="button"
            tabIndex={line.id === entry ? 0 : -1}
            data-label={line.id}
            onKeyDown={(event) => onKeyDown(event, line.id)}
            onFocus={() => setAt(line.id)}
            className={cn("nodrag nopan edge-data", data.from === "test" && "edge-tested")}
            data-picked={here ? "" : undefined}
            title={data.from === "test" ? "Data of the test run" : "Data with the sample input"}
            style={{ transform: `translate(${x - wide / 2}px, ${y - 12}px)`, width: wide }}
            onClick={() => onPick({ kind: "edge", id: line.id })}
          >
            <VisuallyHidden>Data from {name}: </VisuallyHidden>
            <span className="edge-value">
              <Visible text={inWords(data.value)} />
            </span>
          </button>
        );
      })}
    </ViewportPortal>
  );
});

/** "Read to Pay" */
export const edgeName = (edge: Edge): string =>
  `${edge.after ? stepTitle({ id: edge.after }) : format.title(edge.from.replace(/^gate /, ""))}${edge.to ? ` to ${stepTitle({ id: edge.to })}` : ""}`;

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text);
const leaf = (tree: Tree): string => (tree.kind === "string" ? plainText(tree) : compact(tree));

/** A value as a label: the names of an object's fields, the length of a list, else the value. */
export function inWords(value: Raw): string {
  const tree = treeOf(value);
  if (tree.kind === "array") return tree.items.length === 1 ? "1 element" : `${tree.items.length} elements`;
  if (tree.kind !== "object") return cut(leaf(tree), 28);
  const names = tree.members.map((m) => m.key);
  const [only] = tree.members;
  if (names.length === 1 && only) return cut(`${only.key}: ${leaf(only.value)}`, 32);
  return cut(names.join(", "), 32) || "{}";
}
