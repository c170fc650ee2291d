import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { ReactFlow, ReactFlowProvider, useReactFlow, useStore } from "@xyflow/react";
import { Crosshair, Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { IconButton } from "../ui/Button";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { Edges } from "./Edges";
import { sentenceOf } from "./facts";
import { gateText } from "./gates";
import { arrange, type Direction, type Layout, neighbour, signature, sizeOf } from "./layout";
import { GateBox, type GateFlow, StepBox, type StepFlow } from "./Nodes";
import { Overview } from "./Overview";
import { followed, type Plan, type PlanNode, planOf } from "./plan";
import type { RunGraphProps } from "./props";
import {
  type Box,
  boxesOf,
  detailAt,
  directionIn,
  extentOf,
  gathered,
  type Size,
  shows,
  showsAny,
  type View,
  viewAround,
  viewOf,
  viewOfAll,
  viewResized,
  zoomMax,
  zoomMinOf,
} from "./view";

const nowhere: Layout = { places: new Map(), bends: new Map() };
const nodeTypes = { step: StepBox, gate: GateBox };
const overviewFrom = 20;
const moveMs = 180;
/** A gate and its step are viewed together; of other concurrent activity, only the first has to stay in view. */
const together = 2;

export default function Canvas(props: RunGraphProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({ run, gates, approvals, selected, onSelect, marked, opened, onOpen }: RunGraphProps) {
  const pane = useRef<HTMLDivElement>(null);
  const size = useSize(pane);
  const plan = useMemo(() => planOf(run, gates, approvals, opened), [run, gates, approvals, opened]);
  const sign = signature(plan);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the signature changes the layout, not statuses
  const layoutOf = useMemo(() => layouts(plan), [sign]);
  const direction = size && directionIn(size, plan.nodes, layoutOf);
  const shape = `${direction}\n${sign}`;
  const layout = direction ? layoutOf(direction) : nowhere;
  const { places } = layout;
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const boxes = useMemo(() => boxesOf(plan.nodes, places), [places]);
  const [cursor, setCursor] = useState<string>();
  const picked = cursor ?? selected;
  const nodes = useNodes(plan, layout, { run: run.id, picked, marked, onOpen });
  const current = useMemo(() => followed(plan, marked), [plan, marked]);
  const view = useView(boxes, size, shape, current);
  const detail = useStore((flow) => detailAt(flow.transform[2]));
  // The wheel scrolls the page, unless the graph is in use.
  const [active, setActive] = useState(false);

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
      onPointerDownCapture={() => pane.current?.focus({ preventScroll: true })}
      onFocus={() => setActive(true)}
      onBlur={() => setActive(false)}
      data-detail={detail}
      className="graph relative min-h-0 flex-1 -outline-offset-2"
    >
      {size && (
        <ReactFlow
          nodes={nodes}
          nodeTypes={nodeTypes}
          minZoom={zoomMinOf(boxes, size)}
          maxZoom={zoomMax}
          onlyRenderVisibleElements
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          elementsSelectable={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          translateExtent={extentOf(boxes)}
          zoomOnScroll={false}
          panOnScroll={active}
          preventScrolling={active}
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
          defaultViewport={viewOf(boxes, size, selected ? [selected] : current)}
          attributionPosition="bottom-left"
        >
          <Edges plan={plan} layout={layout} direction={direction ?? "LR"} />
        </ReactFlow>
      )}
      {size && plan.nodes.length >= overviewFrom && (
        <Overview nodes={plan.nodes} boxes={boxes} pane={size} onGo={view.go} />
      )}
      <Controls>
        <IconButton label="Show everything" className="size-8" onClick={view.fitAll}>
          <Maximize />
        </IconButton>
        <IconButton label="Larger" className="size-8" onClick={view.larger}>
          <Plus />
        </IconButton>
        <IconButton label="Smaller" className="size-8" onClick={view.smaller}>
          <Minus />
        </IconButton>
        <IconButton label="Go to the current step and follow it" className="size-8" onClick={view.follow}>
          <Crosshair />
        </IconButton>
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

/** The pane's size; undefined until it is measured, which happens before the first paint. */
function useSize(pane: React.RefObject<HTMLDivElement | null>): Size | undefined {
  const [size, setSize] = useState<Size>();
  useLayoutEffect(() => {
    const element = pane.current;
    if (!element) return;
    const look = () => {
      const { clientWidth: width, clientHeight: height } = element;
      // A hidden pane has no size: keep the last one.
      if (width > 0 && height > 0)
        setSize((old) => (old?.width === width && old.height === height ? old : { width, height }));
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [pane]);
  return size;
}

function useNodes(
  plan: Plan,
  { places }: Layout,
  { run, picked, marked, onOpen }: Pick<RunGraphProps, "marked" | "onOpen"> & { run: string; picked?: string },
) {
  return useMemo(
    () =>
      plan.nodes.map((node) => ({
        id: node.id,
        type: node.kind,
        position: places.get(node.id) ?? { x: 0, y: 0 },
        ...sizeOf(node),
        // Sizes are known, so nothing is measured and hundreds of steps appear in place at once.
        measured: sizeOf(node),
        handles: [],
        data: { ...node, run, picked: node.id === picked, marked: marked?.has(node.id) ?? false, onOpen },
      })) as (StepFlow | GateFlow)[],
    [plan, places, run, picked, marked, onOpen],
  );
}

/** Short moves that the eye can follow are animated; long ones jump, and all of them do with reduced motion. */
function glideMs(from: View, to: View, pane: Size): number {
  const far = Math.abs(to.x - from.x) > 2 * pane.width || Math.abs(to.y - from.y) > 2 * pane.height;
  return far || matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : moveMs;
}

/** Each layout is computed once, on first use. */
function layouts(plan: Plan): (direction: Direction) => Layout {
  const made: Partial<Record<Direction, Layout>> = {};
  return (direction) => {
    made[direction] ??= arrange(plan, direction);
    return made[direction];
  };
}

/**
 * The viewport: it shows everything if that fits, else the current nodes, and follows those until the user moves it.
 */
function useView(boxes: Map<string, Box>, pane: Size | undefined, shape: string, current: string[]) {
  const flow = useReactFlow();
  const free = useRef(true);
  const go = (view: View, glide = true) => {
    const duration = glide && pane ? glideMs(flow.getViewport(), view, pane) : 0;
    void flow.setViewport(view, { duration, interpolate: "linear" });
  };
  const centre = (ids: string[]) => {
    const zoom = Math.max(flow.getZoom(), 1);
    if (pane) go(viewAround(gathered(ids, boxes, pane, zoom), boxes, pane, zoom));
  };
  const now = current.join("\n");
  const before = useRef({ shape, pane, now });
  // A new shape (another direction, more steps) or size resets the view; newly current nodes are centred unless they
  // are in view already. A view that the user moved stays, unless it would be empty.
  useEffect(() => {
    const was = before.current;
    before.current = { shape, pane, now };
    if (!pane || !was.pane) return;
    const moved = was.shape !== shape || was.pane !== pane;
    if (!moved && (was.now === now || current.length === 0)) return;
    const view = flow.getViewport();
    if (!free.current) {
      if (!moved) return;
      const kept = viewResized(view, was.pane, pane);
      go(showsAny(kept, boxes, pane) ? kept : viewOf(boxes, pane, current), false);
    } else if (moved) {
      go(viewOf(boxes, pane, current), false);
    } else if (!shows(view, gathered(current.slice(0, together), boxes, pane, view.zoom), pane)) {
      go(viewAround(gathered(current, boxes, pane, view.zoom), boxes, pane, view.zoom));
    }
  });
  return {
    centre: (id: string) => centre([id]),
    moved: () => {
      free.current = false;
    },
    go: (view: View) => {
      free.current = false;
      go(view, false);
    },
    fitAll: () => pane && go(viewOfAll(boxes, pane)),
    larger: () => void flow.zoomIn({ duration: moveMs }),
    smaller: () => void flow.zoomOut({ duration: moveMs }),
    follow: () => {
      free.current = true;
      if (current.length > 0) centre(current);
    },
  };
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
