import "@xyflow/react/dist/base.css";
import "./editor.css";
import {
  Handle,
  type Node,
  type NodeChange,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
  ViewportPortal,
} from "@xyflow/react";
import { Clock, GitFork, Hand, LayoutGrid, Maximize, Minus, OctagonAlert, Plus, Repeat2, Split } from "lucide-react";
import { type DragEvent, type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from "react";
import type { RiskLevel, StepStatus } from "../api/types";
import { neighbour, pathThrough, sizeOf, sizes } from "../graph/layout";
import type { Plan } from "../graph/plan";
import { toneText } from "../graph/tones";
import { cn } from "../lib/cn";
import { IconButton } from "../ui/Button";
import { RiskBadge } from "../ui/RiskBadge";
import { stepStatus } from "../words";
import { MarkWord, markWord } from "./ChangeBar";
import { EdgeData, edgeName, inWords } from "./EdgeData";
import { stepMime } from "./mime";
import type { Mark } from "./model/diff";
import { type Doer, doerOf, type GateDef, type StepDef } from "./model/flow";
import { type Point, placesOf, planOfFlow } from "./model/place";
import { askedText, defaultReject, doerWord, doneBy, gateTitle, rejectWord, stepTitle } from "./say";
import type { Picked, Studio } from "./studio";

type StepData = {
  step: StepDef;
  mark?: Mark;
  problems: number;
  picked: boolean;
  target: boolean;
  status?: StepStatus;
} & Record<string, unknown>;
type GateData = { gate: GateDef; mark?: Mark; problems: number; picked: boolean } & Record<string, unknown>;

const hidden = "opacity-0! pointer-events-none!";

/** How much of a step can be read: nothing but its box, its name, or everything. */
type Detail = "box" | "name" | "all";
const detailAt = (zoom: number): Detail => (zoom < 0.2 ? "box" : zoom < 0.5 ? "name" : "all");
/** How far around the pane steps are drawn in full, in pixels. */
const around = 40;

/** Whether a node can be read: it is near, and in view. All others are boxes, which are cheap to move and to zoom. */
function useNear({ positionAbsoluteX: x, positionAbsoluteY: y }: NodeProps<Node>): boolean {
  return useStore(({ transform: [left, top, zoom], width, height }) => {
    if (detailAt(zoom) !== "all") return false;
    const at = { x: x * zoom + left, y: y * zoom + top };
    const size = { x: sizes.step.width * zoom, y: sizes.step.height * zoom };
    return at.x + size.x > -around && at.x < width + around && at.y + size.y > -around && at.y < height + around;
  });
}

/** From this zoom on, steps can be read. */
const readable = 0.6;

const StepBox = memo(function StepBox(props: NodeProps<Node<StepData, "step">>) {
  const { step, problems, picked, target, status, mark } = props.data;
  if (!useNear(props)) {
    const tone = status && toneText[stepStatus[status].tone];
    return (
      <div
        className={cn("far-box", tone)}
        data-picked={picked || target ? "" : undefined}
        data-bad={problems > 0 ? "" : undefined}
        data-known={tone ? "" : undefined}
        data-mark={mark}
      >
        <span className="far-name">{stepTitle(step)}</span>
      </div>
    );
  }
  const Icon = doerWord[doerOf(step)].icon;
  const word = status && stepStatus[status];
  return (
    <div
      className={cn(
        "flex size-full flex-col justify-center gap-0.5 rounded-md border bg-surface px-3",
        mark && markBox[mark],
        problems > 0 && "border-bad-fill",
        target && "border-2 border-accent",
        picked && "outline-2 outline-offset-2 outline-accent",
      )}
    >
      <Handle type="target" position={Position.Top} className={mark === "removed" ? hidden : undefined} />
      <span className="flex items-center gap-2">
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className={cn("min-w-0 flex-1 truncate font-medium", mark === "removed" && "line-through")}>
          {stepTitle(step)}
        </span>
        {mark && <MarkWord mark={mark} />}
        {problems > 0 && <OctagonAlert aria-hidden className="size-4 shrink-0 text-bad-text" />}
        {word && <word.icon aria-hidden className={cn("size-4 shrink-0", toneText[word.tone])} />}
      </span>
      <span className="truncate text-control text-muted">{doneBy(step)}</span>
      <span className="flex h-5 items-center gap-2 text-meta text-muted">
        {step.if && (
          <span className="flex min-w-0 items-center gap-1" title={`Only if ${step.if}`}>
            <Split aria-hidden className="size-3 shrink-0" />
            <span className="truncate">{step.if}</span>
          </span>
        )}
        {step.each && (
          <span className="flex min-w-0 items-center gap-1" title={`For each of ${step.each}`}>
            <Repeat2 aria-hidden className="size-3 shrink-0" />
            <span className="truncate">{step.each}</span>
          </span>
        )}
        {["low", "medium", "high", "critical"].includes(step.risk ?? "") && (
          <RiskBadge level={step.risk as RiskLevel} />
        )}
      </span>
      <Handle type="source" position={Position.Bottom} className={mark === "removed" ? hidden : undefined} />
    </div>
  );
});

const GateBox = memo(function GateBox(props: NodeProps<Node<GateData, "gate">>) {
  const { gate, problems, picked, mark } = props.data;
  if (!useNear(props))
    return (
      <div
        className="far-box far-gate"
        data-picked={picked ? "" : undefined}
        data-bad={problems > 0 ? "" : undefined}
        data-mark={mark}
      />
    );
  return (
    <div
      className={cn(
        "flex size-full items-center gap-2 rounded-full border border-warn-fill bg-warn-bg px-4",
        mark && markBox[mark],
        problems > 0 && "border-2 border-bad-fill",
        picked && "outline-2 outline-offset-2 outline-accent",
      )}
      title={`If rejected: ${rejectWord[gate.on_reject ?? defaultReject(gate)] ?? ""}`}
    >
      <Handle type="target" position={Position.Top} className={hidden} isConnectable={false} />
      <Hand aria-hidden className="size-4 shrink-0 text-warn-text" />
      <span className="min-w-0 flex-1">
        <span className={cn("block truncate text-control font-medium", mark === "removed" && "line-through")}>
          {gateTitle(gate)}
        </span>
        <span className="flex items-center gap-2 text-meta text-warn-text">
          <span className="truncate">{askedText(gate)}</span>
          {gate.timeout?.after && (
            <span className="flex shrink-0 items-center gap-0.5">
              <Clock aria-hidden className="size-3" />
              {gate.timeout.after}
            </span>
          )}
          <GitFork aria-hidden className="size-3 shrink-0" />
        </span>
      </span>
      {mark && <MarkWord mark={mark} />}
      <Handle type="source" position={Position.Bottom} className={hidden} isConnectable={false} />
    </div>
  );
});

/** Marked by a word and the line, not by colour alone. */
const markBox: Record<Mark, string> = {
  added: "border-2 border-ok-text",
  changed: "border-2 border-warn-text",
  removed: "border-2 border-dashed border-bad-text bg-bad-bg",
};

const nodeTypes = { step: StepBox, gate: GateBox };

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
  const tidied = useRef(content.layout);
  const places = useMemo(() => {
    // Tidying up forgets where things were.
    if (Object.keys(content.layout).length === 0 && Object.keys(tidied.current).length > 0) before.current = new Map();
    tidied.current = content.layout;
    const found = placesOf(plan, content.layout, before.current);
    before.current = found;
    return found;
  }, [plan, content.layout]);
  // While changes are shown, those that were removed are drawn as well; nothing else is moved for good.
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
        return [{ ...base, type: "gate", data, ariaLabel: `Gate ${gateTitle(gate)}${word}` }];
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
  const nodes = useMemo(
    () => (moving ? atRest.map((n) => (n.id === moving.id ? { ...n, position: moving.at } : n)) : atRest),
    [atRest, moving],
  );
  const detail = useStore((store) => detailAt(store.transform[2]));

  const count = plan.nodes.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is set when the first nodes are there, and then left alone
  useEffect(() => {
    if (count > 0) void rf.fitView({ padding: 0.2, maxZoom: 1 });
  }, [count > 0]);

  // Steps and gates that were removed come into view.
  const removed = shownPlan.nodes.length > count;
  useEffect(() => {
    if (removed) requestAnimationFrame(() => void rf.fitView({ padding: 0.2, maxZoom: 1 }));
  }, [removed, rf]);

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
      if (!inside) void rf.fitView({ padding: 0.2, maxZoom: 1, duration: 160 });
    } else goTo(at);
  }, [nodeId, count]);

  // In a pane of another width, everything is shown again.
  useEffect(() => {
    if (!pane.current || typeof ResizeObserver === "undefined") return;
    let width = pane.current.clientWidth;
    const observer = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect.width ?? width;
      if (Math.abs(now - width) > 80) requestAnimationFrame(() => void rf.fitView({ padding: 0.2, maxZoom: 1 }));
      width = now;
    });
    observer.observe(pane.current);
    return () => observer.disconnect();
  }, [rf]);

  /** Once something is placed by hand, everything stays where it is. */
  const placeByHand = (id: string, at: Point, label: string) =>
    editor.set({ layout: { ...Object.fromEntries(places), [id]: round(at) } }, label);

  const onNodesChange = (changes: NodeChange[]) => {
    for (const change of changes) {
      if (change.type !== "position" || !change.position) continue;
      if (change.dragging) setMoving({ id: change.id, at: change.position });
      else {
        setMoving(undefined);
        placeByHand(change.id, change.position, `Move ${nameOf(change.id)}`);
      }
    }
  };
  const nameOf = (id: string) => {
    const gate = flow.gates.find((g) => `gate ${g.id}` === id);
    const step = flow.steps.find((s) => s.id === id);
    return gate ? gateTitle(gate) : step ? stepTitle(step) : id;
  };

  const onDrop = (event: DragEvent) => {
    const text = event.dataTransfer.getData(stepMime);
    if (!text || !editable) return;
    event.preventDefault();
    const { doer, name } = JSON.parse(text) as { doer: Doer; name: string };
    const at = rf.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const line = (event.target as Element).closest?.("[data-edge]")?.getAttribute("data-edge");
    const after = line ? studio.edgeOf(line)?.after : undefined;
    run.add({ doer, name }, after, (id) =>
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
      studio.openPalette(step ?? edge?.after);
    } else if (event.key === "c" && step && editable && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      setJoining({ from: step });
      editor.say(`Connect ${nameOf(step)} to another step: choose it with the arrow keys, then press Enter.`);
    }
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
      data-detail={detail}
      className="flow relative min-h-0 flex-1 bg-bg -outline-offset-2"
    >
      <ReactFlow
        nodes={nodes}
        onMoveStart={() => pane.current?.setAttribute("data-moving", "")}
        onMoveEnd={() => pane.current?.removeAttribute("data-moving")}
        nodeTypes={nodeTypes}
        onNodesChange={onNodesChange}
        onNodeClick={(_, node) => there.has(node.id) && pick(pickedOf(node.id, plan))}
        onPaneClick={() => pick(undefined)}
        onConnect={({ source, target }) => run.connect(source, target)}
        isValidConnection={({ source, target }) => source !== target && flow.steps.some((s) => s.id === target)}
        nodesConnectable={editable}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        disableKeyboardA11y
        minZoom={0.1}
        maxZoom={1.5}
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: false }}
      >
        <Lines
          plan={shownPlan}
          places={moving ? new Map([...drawnAt, [moving.id, moving.at]]) : drawnAt}
          there={there}
          picked={picked}
          far={detail !== "all" && count > togetherMax}
          onPick={pick}
        />
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
        <IconButton
          label="Show everything"
          onClick={() => void rf.fitView({ padding: 0.2, maxZoom: 1, duration: 160 })}
        >
          <Maximize />
        </IconButton>
        {editable && (
          <IconButton
            label="Tidy up: place all steps automatically"
            disabled={Object.keys(content.layout).length === 0}
            onClick={() => {
              editor.set({ layout: {} }, "Tidy up");
              setTimeout(() => void rf.fitView({ padding: 0.2, maxZoom: 1, duration: 160 }), 50);
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

/** Steps and gates are read anew from each text. */
const sameValue = (a: unknown, b: unknown): boolean =>
  typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b);

const round = (at: Point): Point => ({ x: Math.round(at.x), y: Math.round(at.y) });

function pickedOf(id: string, plan: Plan): Picked {
  const node = plan.nodes.find((n) => n.id === id);
  return node?.kind === "gate" ? { kind: "gate", id: node.gate.id } : { kind: "step", id };
}

/** All edges in one SVG: the canvas library would lay one over the whole pane for each. */
const Lines = memo(function Lines(props: {
  plan: Plan;
  places: ReadonlyMap<string, Point>;
  /** The nodes of the draft; lines from and to others were removed. */
  there: ReadonlySet<string>;
  picked?: Picked;
  /** Too small to be chosen: they are drawn as one. */
  far: boolean;
  onPick: (picked: Picked) => void;
}) {
  const { plan, places, there, picked, far, onPick } = props;
  const boxes = useMemo(() => new Map(plan.nodes.map((n) => [n.id, sizeOf(n)])), [plan]);
  const paths = useMemo(
    () =>
      plan.edges.flatMap((edge) => {
        const [a, b] = [places.get(edge.from), places.get(edge.to)];
        const [from, to] = [boxes.get(edge.from), boxes.get(edge.to)];
        if (!a || !b || !from || !to) return [];
        const ends: [Point, Point] = [
          { x: a.x + from.width / 2, y: a.y + from.height },
          { x: b.x + to.width / 2, y: b.y },
        ];
        const gone = !there.has(edge.from) || !there.has(edge.to);
        return [{ id: edge.id, d: pathThrough(ends, "TB"), ends, gone }];
      }),
    [plan, places, boxes, there],
  );
  // Of many, all are drawn as one, and those in view can be chosen.
  const many = paths.length > linesMax;
  const all = useMemo(() => (many ? paths.map((p) => p.d).join("") : ""), [many, paths]);
  const view = useStore(({ transform: [x, y, zoom], width, height }) =>
    many && !far ? [-x, -y, width - x, height - y].map((edge) => Math.floor(edge / zoom / cell)).join() : "",
  );
  const near = useMemo(() => {
    if (!many) return paths;
    if (!view) return [];
    const [left = 0, top = 0, right = 0, bottom = 0] = view.split(",").map((n) => Number(n) * cell);
    return paths.filter(({ ends }) =>
      ends.some((p) => p.x >= left && p.x <= right + cell && p.y >= top && p.y <= bottom + cell),
    );
  }, [many, view, paths]);
  return (
    <ViewportPortal>
      <svg aria-hidden className="lines">
        {many && <path className={cn("line", far && "far-line")} d={all} />}
        {near.map(({ id, d, gone }) =>
          gone ? (
            <path key={id} className="line" data-gone="" d={d} />
          ) : (
            <Line key={id} id={id} d={d} picked={picked?.kind === "edge" && picked.id === id} onPick={onPick} />
          ),
        )}
      </svg>
    </ViewportPortal>
  );
});

const linesMax = 150;
/** Lines are chosen anew when the view has moved by about this much. */
const cell = 600;

const Line = memo(function Line(props: { id: string; d: string; picked: boolean; onPick: (picked: Picked) => void }) {
  const { id, d, picked, onPick } = props;
  return (
    <g>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the panels of steps offer the same with the keyboard */}
      <path data-edge={id} className="line-hit" d={d} onClick={() => onPick({ kind: "edge", id })} />
      <path className="line" data-picked={picked ? "" : undefined} d={d} />
    </g>
  );
});
