import "@xyflow/react/dist/base.css";
import "./editor.css";
import {
  type Connection,
  type Edge,
  getViewportForBounds,
  type Node,
  type NodeChange,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  useStoreApi,
} from "@xyflow/react";
import { LayoutGrid, Maximize, Minus, Plus } from "lucide-react";
import { type DragEvent, type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { neighbour, sizeOf } from "../graph/layout";
import type { Plan } from "../graph/plan";
import { bounds, boxesOf } from "../graph/view";
import { useStable } from "../lib/useStable";
import { IconButton } from "../ui/Button";
import { detailAt, fullFrom, nodeTypes, spotOf } from "./Boxes";
import { markWord } from "./ChangeBar";
import { EdgeData, edgeName, inWords } from "./EdgeData";
import { Lines, LinesInView, linksOf } from "./Lines";
import { stepMime } from "./mime";
import type { NewStep } from "./model/edit";
import { type GateDef, spotOf as gateSpot } from "./model/flow";
import { edgeIn, hereOf, slotOf } from "./model/here";
import { type Point, placesOf, planOfFlow } from "./model/place";
import { Painting } from "./Painting";
import { gateTitle, placeText, rejectText, stepTitle } from "./say";
import type { Picked, Studio } from "./studio";
import { useElements } from "./useElements";

/** From this zoom on, steps can be read. */
const readable = 0.6;
const proOptions = { hideAttribution: false };
const zooms = { min: 0.1, max: 1.5 };
/** Larger workflows are painted, but for what is near and in use. */
const elementsMax = { nodes: 100, links: 150 };

export default function Canvas(props: { studio: Studio }) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({ studio }: { studio: Studio }) {
  const { editor, picked, pick, problemsOf, statusOf, run, difference } = studio;
  const { flow, content, editable } = editor;
  const plan = useMemo(() => planOfFlow(flow), [flow]);
  const before = useRef<ReadonlyMap<string, Point>>(new Map());
  const placed = useRef(content.layout);
  const [tidied, setTidied] = useState(0);
  const tidiedBefore = useRef(0);
  const places = useMemo(() => {
    // Tidying up forgets where things were.
    const forgotten = Object.keys(content.layout).length === 0 && Object.keys(placed.current).length > 0;
    if (forgotten || tidied !== tidiedBefore.current) before.current = new Map();
    placed.current = content.layout;
    tidiedBefore.current = tidied;
    const found = placesOf(plan, content.layout, before.current);
    before.current = found;
    return found;
  }, [plan, content.layout, tidied]);
  // While changes are shown, those that were removed are drawn as well; nothing else is moved permanently.
  const shownPlan = difference?.plan ?? plan;
  const drawnAt = useMemo(
    () => (difference ? placesOf(difference.plan, content.layout, places) : places),
    [difference, content.layout, places],
  );
  const there = useMemo(() => new Set(plan.nodes.map((n) => n.id)), [plan]);
  const [moving, setMoving] = useState<{ id: string; at: Point }>();
  const [joining, setJoining] = useState<{ from: string; to?: string }>();
  const rf = useReactFlow();
  const pane = useRef<HTMLDivElement>(null);
  const nodeId = picked?.kind === "step" ? picked.id : picked?.kind === "gate" ? `gate ${picked.id}` : undefined;

  // A node that has not changed stays the same object: only those that changed are drawn again.
  const known = useRef<ReadonlyMap<string, Node>>(new Map());
  const atRest = useMemo(() => {
    const { steps: oldSteps = [], gates: oldGates = [] } = difference?.before ?? {};
    const steps = new Map([...oldSteps, ...flow.steps].map((s) => [s.id, s]));
    const gates = new Map([...oldGates, ...flow.gates].map((g) => [g.id, g]));
    const all = shownPlan.nodes.flatMap((node): Node[] => {
      const size = sizeOf(node);
      const position = drawnAt.get(node.id) ?? { x: 0, y: 0 };
      const mark = difference?.marks.get(node.id);
      const draggable = editable && mark !== "removed";
      const base = { id: node.id, position, ...size, measured: size, draggable, ariaRole: "group" as const };
      const word = mark ? `, ${markWord[mark].toLowerCase()}` : "";
      if (node.kind === "gate") {
        const gate = gates.get(node.gate.id);
        if (!gate) return [];
        const data = { gate, mark, problems: problemsOf("gate", gate.id).length, picked: nodeId === node.id };
        return [{ ...base, type: "gate", data, ariaLabel: gateLabel(gate, word) }];
      }
      const step = steps.get(node.id);
      if (!step) return [];
      const data = {
        step,
        mark,
        problems: problemsOf("step", step.id).length,
        picked: nodeId === node.id,
        target: joining?.to === node.id,
        status: statusOf(step.id),
      };
      return [{ ...base, type: "step", data, ariaLabel: `Step ${stepTitle(step)}${word}` }];
    });
    const drawn = all.map((node) => {
      const old = known.current.get(node.id);
      return old && sameNode(old, node) ? old : node;
    });
    known.current = new Map(drawn.map((node) => [node.id, node]));
    return drawn;
  }, [shownPlan, difference, flow, drawnAt, nodeId, joining, editable, problemsOf, statusOf]);
  const detail = useStore((store) => detailAt(store.transform[2]));
  const painted = shownPlan.nodes.length > elementsMax.nodes || shownPlan.edges.length > elementsMax.links;
  const boxes = useMemo(() => (painted ? boxesOf(shownPlan.nodes, drawnAt) : undefined), [painted, shownPlan, drawnAt]);
  const [pointed, setPointed] = useState<string>();
  const elements = useElements(boxes, fullFrom, [nodeId, moving?.id, joining?.to, pointed]);
  const nodes = useMemo(() => {
    const shown = elements ? atRest.filter((n) => elements.has(n.id)) : atRest;
    return moving ? shown.map((n) => (n.id === moving.id ? { ...n, position: moving.at } : n)) : shown;
  }, [atRest, elements, moving]);
  const spots = useMemo(() => (painted ? atRest.map(spotOf) : []), [painted, atRest]);
  const links = useMemo(
    () => linksOf(shownPlan, moving ? new Map([...drawnAt, [moving.id, moving.at]]) : drawnAt, there),
    [shownPlan, drawnAt, moving, there],
  );
  const [resting, setResting] = useState(true);

  const store = useStoreApi();
  const count = plan.nodes.length;
  const show = useStable({
    /** Shows everything; the canvas library knows only what is an element. */
    all: (duration = 0) => {
      const { width, height } = store.getState();
      if (!boxes) void rf.fitView({ padding: 0.2, maxZoom: 1, duration });
      else void rf.setViewport(getViewportForBounds(bounds(boxes), width, height, zooms.min, 1, 0.2), { duration });
    },
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is set when the first nodes are there, and then left alone
  useEffect(() => {
    if (count > 0) show.all();
  }, [count > 0]);

  // Steps and gates that were removed come into view.
  const removed = shownPlan.nodes.length > count;
  useEffect(() => {
    if (removed) requestAnimationFrame(() => show.all());
  }, [removed, show]);

  const goTo = (at: Point) =>
    void rf.setCenter(at.x + 124, at.y + 42, { zoom: Math.max(rf.getZoom(), readable), duration: 120 });

  // A step that was added or chosen elsewhere comes into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only if another one is chosen, or it is drawn for the first time
  useEffect(() => {
    const at = nodeId === undefined ? undefined : places.get(nodeId);
    const box = pane.current?.getBoundingClientRect();
    if (!at || !box) return;
    const from = rf.flowToScreenPosition(at);
    const to = rf.flowToScreenPosition({ x: at.x + 248, y: at.y + 84 });
    const inside = from.x >= box.left && from.y >= box.top && to.x <= box.right && to.y <= box.bottom;
    if (inside && rf.getZoom() >= readable) return;
    if (count <= togetherMax) {
      if (!inside) show.all(160);
    } else goTo(at);
  }, [nodeId, count]);

  // In a pane of another width, everything is shown again.
  useEffect(() => {
    if (!pane.current || typeof ResizeObserver === "undefined") return;
    let width = pane.current.clientWidth;
    const observer = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect.width ?? width;
      if (Math.abs(now - width) > 80) requestAnimationFrame(() => show.all());
      width = now;
    });
    observer.observe(pane.current);
    return () => observer.disconnect();
  }, [show]);

  /** Once something is placed by hand, everything stays where it is. */
  const placeByHand = (id: string, at: Point, label: string) =>
    editor.set({ layout: { ...Object.fromEntries(places), [id]: round(at) } }, label);

  /** The painted node at the pointer. Near ones are elements. */
  const spotAt = (event: { clientX: number; clientY: number }) => {
    if (!boxes || rf.getZoom() >= fullFrom) return undefined;
    const { x, y } = rf.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    return [...boxes].findLast(([, b]) => x >= b.x && x <= b.x + b.width && y >= b.y && y <= b.y + b.height)?.[0];
  };

  // Always the same functions: with others, every element of a node would be drawn again.
  const on = useStable({
    nodesChange: (changes: NodeChange[]) => {
      for (const change of changes) {
        if (change.type !== "position" || !change.position) continue;
        if (change.dragging) setMoving({ id: change.id, at: change.position });
        else {
          setMoving(undefined);
          placeByHand(change.id, change.position, `Move ${nameOf(change.id)}`);
        }
      }
    },
    nodeClick: (_: unknown, { id }: Node) => there.has(id) && pick(pickedOf(id, plan)),
    paneClick: (event: { clientX: number; clientY: number }) => {
      const id = spotAt(event);
      if (id === undefined) pick(undefined);
      else if (there.has(id)) pick(pickedOf(id, plan));
    },
    connect: ({ source, target }: Connection) => run.connect(source, target),
    valid: ({ source, target }: Connection | Edge) => source !== target && flow.steps.some((s) => s.id === target),
    moveStart: () => setResting(false),
    moveEnd: () => setResting(true),
  });
  const nameOf = (id: string) => {
    const gate = flow.gates.find((g) => `gate ${g.id}` === id);
    const step = flow.steps.find((s) => s.id === id);
    return gate ? gateTitle(gate) : step ? stepTitle(step) : id;
  };

  const onDrop = (event: DragEvent) => {
    const text = event.dataTransfer.getData(stepMime);
    if (!text || !editable) return;
    event.preventDefault();
    const what = JSON.parse(text) as NewStep | "approval";
    const line = lineAt(event.target as HTMLElement);
    if (what === "approval") {
      const id = (event.target as Element).closest?.(".react-flow__node")?.getAttribute("data-id") ?? spotAt(event);
      const on: Picked = line ? { kind: "edge", id: line } : id && there.has(id) ? pickedOf(id, plan) : undefined;
      if (on) run.addGate(hereOf(flow, on).gateAt);
      else editor.say("Drop the approval on a step or on a connection");
      return;
    }
    const at = rf.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    run.add(what, line ? slotOf(edgeIn(flow, line)) : {}, (id) =>
      line ? undefined : { ...Object.fromEntries(places), [id]: round({ x: at.x - 124, y: at.y - 42 }) },
    );
  };

  /** From the chosen step to its connections, and from one to the next. */
  const nextEdge = (by: 1 | -1) => {
    const here = plan.edges.findIndex((e) => picked?.kind === "edge" && e.id === picked.id);
    const mine = plan.edges.findIndex((e) => e.from === nodeId || e.to === nodeId);
    const at = here < 0 ? Math.max(mine, 0) : (here + by + plan.edges.length) % plan.edges.length;
    const id = plan.edges[at]?.id ?? "";
    const edge = studio.edgeOf(id);
    if (!edge) return;
    pick({ kind: "edge", id });
    const data = studio.dataOf(edge);
    editor.say(`Connection from ${edgeName(edge)}${data ? `: ${inWords(data.value)}` : ", no data"}`);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    const step = picked?.kind === "step" ? picked.id : undefined;
    const arrow = /^Arrow(Left|Right|Up|Down)$/.test(event.key);
    if (joining && (arrow || event.key === "Enter" || event.key === "Escape")) {
      event.preventDefault();
      if (arrow) {
        const steps = new Map([...places].filter(([id]) => flow.steps.some((s) => s.id === id && id !== joining.from)));
        const from = joining.to ?? joining.from;
        const to = neighbour(
          from,
          event.key as "ArrowUp",
          new Map([...steps, [from, places.get(from) ?? { x: 0, y: 0 }]]),
        );
        if (to && to !== joining.from) {
          setJoining({ ...joining, to });
          editor.say(`Connect to ${nameOf(to)}? Press Enter.`);
        }
      } else {
        if (event.key === "Enter" && joining.to) run.connect(joining.from, joining.to);
        else editor.say("Not connected");
        setJoining(undefined);
      }
      return;
    }
    if (arrow) {
      event.preventDefault();
      if (event.altKey && nodeId && editable) {
        const at = places.get(nodeId) ?? { x: 0, y: 0 };
        const by = event.shiftKey ? 80 : 16;
        const dx = event.key === "ArrowLeft" ? -by : event.key === "ArrowRight" ? by : 0;
        const dy = event.key === "ArrowUp" ? -by : event.key === "ArrowDown" ? by : 0;
        placeByHand(nodeId, { x: at.x + dx, y: at.y + dy }, `Move ${nameOf(nodeId)}`);
        return;
      }
      const next = neighbour(nodeId, event.key as "ArrowUp", places);
      if (next === undefined) return;
      pick(pickedOf(next, plan));
      const at = places.get(next);
      if (at && count <= togetherMax) void rf.setCenter(at.x + 124, at.y + 42, { zoom: rf.getZoom(), duration: 120 });
      editor.say(nameOf(next));
      return;
    }
    const edge = picked?.kind === "edge" ? studio.edgeOf(picked.id) : undefined;
    if ((event.key === "e" || event.key === "E") && !event.ctrlKey && !event.metaKey && plan.edges.length > 0) {
      event.preventDefault();
      nextEdge(event.shiftKey ? -1 : 1);
    } else if (event.key === "Enter" && (nodeId || edge)) {
      event.preventDefault();
      studio.focusPanel();
    } else if (event.key === "Escape") pick(undefined);
    else if ((event.key === "Delete" || event.key === "Backspace") && editable) {
      event.preventDefault();
      run.remove();
    } else if (event.key === "a" && editable && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      studio.openPalette();
    } else if (event.key === "c" && step && editable && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      setJoining({ from: step });
      editor.say(`Connect ${nameOf(step)} to another step: choose it with the arrow keys, then press Enter.`);
    }
  };

  // What is painted becomes an element under the pointer, so that it can be taken.
  const onPointerMove = (event: PointerEvent) => {
    if (event.buttons === 0) setPointed(spotAt(event));
  };

  return (
    <div
      ref={pane}
      role="application"
      aria-label="Canvas. Arrow keys move between steps, Enter opens one, A adds a step after it, C connects it, E moves between connections, Alt and an arrow key move it, Delete removes it. The outline offers the same."
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from step to step
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDownCapture={() => pane.current?.focus({ preventScroll: true })}
      onDragOver={(e) => e.dataTransfer.types.includes(stepMime) && e.preventDefault()}
      onDrop={onDrop}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setPointed(undefined)}
      data-detail={detail}
      data-moving={resting ? undefined : ""}
      className="flow relative min-h-0 flex-1 bg-bg -outline-offset-2"
    >
      {painted && <Painting spots={spots} links={links} picked={picked?.kind === "edge" ? picked.id : undefined} />}
      <ReactFlow
        nodes={nodes}
        onMoveStart={on.moveStart}
        onMoveEnd={on.moveEnd}
        nodeTypes={nodeTypes}
        onNodesChange={on.nodesChange}
        onNodeClick={on.nodeClick}
        onPaneClick={on.paneClick}
        onConnect={on.connect}
        isValidConnection={on.valid}
        nodesConnectable={editable}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        disableKeyboardA11y
        minZoom={zooms.min}
        maxZoom={zooms.max}
        zoomOnDoubleClick={false}
        proOptions={proOptions}
      >
        {painted ? (
          <LinesInView links={links} picked={picked} near={detail === "all"} resting={resting} onPick={pick} />
        ) : (
          <Lines links={links} picked={picked} onPick={pick} />
        )}
        {detail === "all" && !moving && (
          <EdgeData
            plan={plan}
            places={drawnAt}
            dataOf={studio.dataOf}
            edgeOf={studio.edgeOf}
            picked={picked}
            near={nodeId}
            onPick={pick}
          />
        )}
      </ReactFlow>
      {count === 0 && (
        <p className="pointer-events-none absolute inset-0 flex items-center justify-center p-8 text-center text-muted">
          {editable ? "Drag a step here, or choose one in the list." : "This workflow has no steps."}
        </p>
      )}
      <div className="absolute right-3 bottom-6 z-10 flex flex-col rounded-md border bg-surface">
        <IconButton label="Zoom in" onClick={() => void rf.zoomIn({ duration: 120 })}>
          <Plus />
        </IconButton>
        <IconButton label="Zoom out" onClick={() => void rf.zoomOut({ duration: 120 })}>
          <Minus />
        </IconButton>
        <IconButton label="Show everything" onClick={() => show.all(160)}>
          <Maximize />
        </IconButton>
        {editable && (
          <IconButton
            label="Tidy up: place all steps automatically"
            disabled={count === 0}
            onClick={() => {
              if (Object.keys(content.layout).length > 0) editor.set({ layout: {} }, "Tidy up");
              setTidied(tidied + 1);
              setTimeout(() => show.all(160), 50);
            }}
          >
            <LayoutGrid />
          </IconButton>
        )}
      </div>
    </div>
  );
}

/** So many nodes are shown together; of more, those that are worked on. */
const togetherMax = 40;

/** Whether two nodes look the same, at the same place. */
function sameNode(a: Node, b: Node): boolean {
  if (a.type !== b.type || a.draggable !== b.draggable || a.ariaLabel !== b.ariaLabel) return false;
  if (a.position.x !== b.position.x || a.position.y !== b.position.y || a.height !== b.height) return false;
  return Object.keys(b.data).every((key) => a.data[key] === b.data[key] || sameValue(a.data[key], b.data[key]));
}

/** Steps and gates are read again from each text. */
const sameValue = (a: unknown, b: unknown): boolean =>
  typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);

/** The connection at an element: its line, or the label with its data. */
function lineAt(element: HTMLElement): string | undefined {
  const { edge, label } = element.closest<HTMLElement>("[data-edge], [data-label]")?.dataset ?? {};
  return edge ?? label;
}

function gateLabel(gate: GateDef, mark: string): string {
  const place = gateSpot(gate).place === "call" ? placeText(gate) : "";
  return [`Gate ${gateTitle(gate)}${mark}`, place, rejectText(gate)].filter(Boolean).join(". ");
}

const round = (at: Point): Point => ({ x: Math.round(at.x), y: Math.round(at.y) });

function pickedOf(id: string, plan: Plan): Picked {
  const node = plan.nodes.find((n) => n.id === id);
  return node?.kind === "gate" ? { kind: "gate", id: node.gate.id } : { kind: "step", id };
}
