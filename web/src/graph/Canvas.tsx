import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { type Edge, MiniMap, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { Crosshair, Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "../ui/Button";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { sentenceOf } from "./facts";
import { gateText } from "./gates";
import { arrange, type Direction, directionFor, type Layout, neighbour, signature, sizes } from "./layout";
import { GateBox, type GateFlow, StepBox, type StepFlow } from "./Nodes";
import { currentStep, type Plan, type PlanNode, planOf } from "./plan";
import { RoutedEdge } from "./RoutedEdge";
import type { RunGraphProps } from "./RunGraph";

const nowhere: Layout = { places: new Map(), bends: new Map() };
const edgeTypes = { routed: RoutedEdge };
const nodeTypes = { step: StepBox, gate: GateBox };
// 14 px at 0.86 is 12 px: below that nobody reads, so the view moves instead of shrinking.
const zoomMin = 0.86;
const zoomMax = 1.6;
const minimapFrom = 20;
const moveMs = 180;

export default function Canvas(props: RunGraphProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({ run, gates, approvals, selected, onSelect, follow = true, marked }: RunGraphProps) {
  const pane = useRef<HTMLDivElement>(null);
  const direction = useDirection(pane);
  const plan = useMemo(() => planOf(run, gates, approvals), [run, gates, approvals]);
  const shape = `${direction}\n${signature(plan)}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape says when the layout changes; statuses do not move anything
  const layout = useMemo(() => (direction ? arrange(plan, direction) : nowhere), [shape]);
  const { places } = layout;
  const [cursor, setCursor] = useState<string>();
  const picked = cursor ?? selected;
  const { nodes, edges } = useFlow(plan, layout, direction ?? "LR", picked, marked);
  const view = useView(pane, places, plan, shape, follow ? currentStep(run) : undefined);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter" && picked) {
      event.preventDefault();
      onSelect(stepOf(plan, picked));
      return;
    }
    if (event.key === "Escape") {
      setCursor(undefined);
      onSelect(undefined);
      return;
    }
    if (!/^Arrow(Left|Right|Up|Down)$/.test(event.key)) return;
    event.preventDefault();
    const next = neighbour(picked, event.key as "ArrowLeft", places);
    if (next === undefined) return;
    setCursor(next);
    view.centre(next);
    const step = plan.nodes.find((node) => node.id === next);
    if (step?.kind === "step") onSelect(next);
  };

  return (
    <div
      ref={pane}
      role="application"
      aria-label="Graph of the steps. Arrow keys move between steps; the same steps are there as a list."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from step to step
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="graph relative min-h-0 flex-1 -outline-offset-2"
    >
      {direction && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          minZoom={zoomMin}
          maxZoom={zoomMax}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          zoomOnScroll={false}
          panOnScroll
          zoomOnDoubleClick={false}
          onNodeClick={(_, node) => {
            setCursor(undefined);
            if (node.type === "step") onSelect(node.id);
          }}
          onPaneClick={() => {
            setCursor(undefined);
            onSelect(undefined);
          }}
          onMoveStart={(event) => event && view.moved()}
          onInit={view.begin}
          attributionPosition="bottom-left"
        >
          {plan.nodes.length >= minimapFrom && (
            <MiniMap
              pannable
              ariaLabel="Map of all steps"
              nodeClassName={(node) => `mini-${miniTone(node.data as never)}`}
            />
          )}
        </ReactFlow>
      )}
      <Controls>
        <IconButton label="Show everything that fits" className="size-8" onClick={view.fitAll}>
          <Maximize />
        </IconButton>
        <IconButton label="Larger" className="size-8" onClick={view.larger}>
          <Plus />
        </IconButton>
        <IconButton label="Smaller" className="size-8" onClick={view.smaller}>
          <Minus />
        </IconButton>
        {follow && (
          <IconButton label="Go to the current step and follow it" className="size-8" onClick={view.follow}>
            <Crosshair />
          </IconButton>
        )}
      </Controls>
      <VisuallyHidden>
        <span aria-live="polite">{cursor && spoken(plan.nodes.find((node) => node.id === cursor))}</span>
      </VisuallyHidden>
    </div>
  );
}

function Controls({ children }: { children: ReactNode }) {
  return (
    <div className="absolute top-2 right-2 z-10 flex overflow-hidden rounded-sm border bg-surface">{children}</div>
  );
}

/** The direction by the pane's shape; undefined until it is known. */
function useDirection(pane: React.RefObject<HTMLDivElement | null>): Direction | undefined {
  const [direction, setDirection] = useState<Direction>();
  useEffect(() => {
    const element = pane.current;
    if (!element) return;
    const look = () => setDirection(directionFor(element.clientWidth, element.clientHeight));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [pane]);
  return direction;
}

function useFlow(
  plan: Plan,
  { places, bends }: Layout,
  direction: Direction,
  picked: string | undefined,
  marked: ReadonlySet<string> | undefined,
) {
  const nodes = useMemo(
    () =>
      plan.nodes.map((node) => ({
        id: node.id,
        type: node.kind,
        position: places.get(node.id) ?? { x: 0, y: 0 },
        ...sizes[node.kind],
        // Known sizes: nothing is measured, so that hundreds of steps appear at once.
        measured: sizes[node.kind],
        data: { ...node, direction, picked: node.id === picked, marked: marked?.has(node.id) ?? false },
      })) as (StepFlow | GateFlow)[],
    [plan, places, direction, picked, marked],
  );
  const edges = useMemo<Edge[]>(
    () =>
      plan.edges.map((edge) => ({
        id: edge.id,
        source: edge.from,
        target: edge.to,
        type: "routed",
        data: { bends: bends.get(edge.id) ?? [], direction },
        animated: edge.state === "flowing",
        className: `edge-${edge.state}`,
      })),
    [plan, bends, direction],
  );
  return { nodes, edges };
}

/** Where the view is: it shows everything that fits, else the current step, and follows it until somebody moves. */
function useView(
  pane: React.RefObject<HTMLDivElement | null>,
  places: Map<string, { x: number; y: number }>,
  plan: Plan,
  shape: string,
  current: string | undefined,
) {
  const flow = useReactFlow();
  const free = useRef(true);
  const kinds = useRef(new Map<string, PlanNode["kind"]>());
  kinds.current = new Map(plan.nodes.map((node) => [node.id, node.kind]));
  const centre = useCallback(
    (id: string, duration = moveMs) => {
      const place = places.get(id);
      const size = sizes[kinds.current.get(id) ?? "step"];
      const box = pane.current;
      if (!place || !box) return;
      const zoom = Math.max(flow.getZoom(), 1);
      const bounds = flow.getNodesBounds([...places.keys()]);
      const x = within(place.x + size.width / 2, bounds.x, bounds.width, box.clientWidth / zoom);
      const y = within(place.y + size.height / 2, bounds.y, bounds.height, box.clientHeight / zoom);
      void flow.setCenter(x, y, { zoom, duration });
    },
    [flow, places, pane],
  );
  const fitAll = useCallback(
    async (duration = moveMs) => {
      await flow.fitView({ padding: 0.08, minZoom: zoomMin, maxZoom: 1, duration });
    },
    [flow],
  );
  const show = useCallback(
    async (duration: number) => {
      await fitAll(duration);
      const bounds = flow.getNodesBounds([...places.keys()]);
      const box = pane.current?.getBoundingClientRect();
      const fits = !box || (bounds.width * flow.getZoom() <= box.width && bounds.height * flow.getZoom() <= box.height);
      if (!fits) centre(current ?? (places.keys().next().value as string), duration);
    },
    [fitAll, flow, places, centre, current, pane],
  );
  // A new shape (another direction, more steps) is shown anew; a new current step is centred.
  // biome-ignore lint/correctness/useExhaustiveDependencies: shape stands for what is drawn
  useEffect(() => {
    if (!free.current || places.size === 0) return;
    const frame = requestAnimationFrame(() => void show(0));
    return () => cancelAnimationFrame(frame);
  }, [shape]);
  const before = useRef(current);
  useEffect(() => {
    if (before.current === current) return;
    before.current = current;
    if (free.current && current) void show(moveMs);
  }, [current, show]);
  return {
    centre,
    begin: () => void show(0),
    moved: () => {
      free.current = false;
    },
    fitAll: () => void fitAll(),
    larger: () => void flow.zoomIn({ duration: moveMs }),
    smaller: () => void flow.zoomOut({ duration: moveMs }),
    follow: () => {
      free.current = true;
      if (current) centre(current);
    },
  };
}

/** The middle of the view nearest to a point that shows nothing beyond the graph; a graph that fits is centred. */
function within(at: number, from: number, length: number, view: number, margin = 24): number {
  if (length + 2 * margin <= view) return from + length / 2;
  return Math.min(Math.max(at, from - margin + view / 2), from + length + margin - view / 2);
}

function stepOf(plan: Plan, id: string): string | undefined {
  const node = plan.nodes.find((n) => n.id === id);
  return node?.kind === "gate" ? node.gate.step || undefined : node?.id;
}

function spoken(node: PlanNode | undefined): string {
  if (!node) return "";
  if (node.kind === "gate") return `Gate ${node.gate.title}. ${gateText(node)}`;
  return sentenceOf(node.step, node.open, Date.now());
}

function miniTone(node: PlanNode): string {
  return node.kind === "gate" ? (node.state === "open" ? "waiting" : "gate") : node.step.status;
}
