import { Handle, type Node, type NodeProps, Position, useStore } from "@xyflow/react";
import { Clock, GitFork, Hand, OctagonAlert, Repeat2, Split } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { RiskLevel, StepStatus } from "../api/types";
import { sizes } from "../graph/layout";
import { toneText } from "../graph/tones";
import { cn } from "../lib/cn";
import { RiskBadge } from "../ui/RiskBadge";
import { stepStatus, type Tone } from "../words";
import { MarkWord } from "./ChangeBar";
import type { Mark } from "./model/diff";
import { doerOf, type GateDef, type StepDef, spotOf as spotOfGate } from "./model/flow";
import { isNear } from "./near";
import { namedFrom, type Role, type Spot } from "./paint";
import {
  askedText,
  defaultReject,
  doerWord,
  doneBy,
  gateTitle,
  placeText,
  rejectShort,
  rejectText,
  stepTitle,
} from "./say";

export type StepData = {
  step: StepDef;
  mark?: Mark;
  problems: number;
  picked: boolean;
  target: boolean;
  status?: StepStatus;
} & Record<string, unknown>;
export type GateData = { gate: GateDef; mark?: Mark; problems: number; picked: boolean } & Record<string, unknown>;

const hidden = "opacity-0! pointer-events-none!";

/** How much of a step can be read: nothing but its box, its name, or everything. */
export type Detail = "box" | "name" | "all";
export const detailAt = (zoom: number): Detail => (zoom < namedFrom ? "box" : zoom < fullFrom ? "name" : "all");
/** From this zoom on, steps are drawn in full. */
export const fullFrom = 0.5;

/** Whether a node can be read: it is near, and in view. All others are boxes, which are cheap to move and to zoom. */
function useNear({ positionAbsoluteX: x, positionAbsoluteY: y }: NodeProps<Node>): boolean {
  return useStore(({ transform, width, height }) => {
    const [left, top, zoom] = transform;
    return zoom >= fullFrom && isNear({ x, y, ...sizes.step }, { x: left, y: top, zoom }, { width, height });
  });
}

/**
 * Its ends are there however much of it is drawn: the canvas library measures them once, and connects only what it has
 * measured.
 */
function Ends({ usable, children }: { usable: boolean; children: ReactNode }) {
  const look = usable ? undefined : hidden;
  return (
    <>
      <Handle type="target" position={Position.Top} className={look} isConnectable={usable} />
      {children}
      <Handle type="source" position={Position.Bottom} className={look} isConnectable={usable} />
    </>
  );
}

const StepBox = memo(function StepBox(props: NodeProps<Node<StepData, "step">>) {
  const near = useNear(props);
  return (
    <Ends usable={near && props.data.mark !== "removed"}>
      {near ? <StepCard {...props.data} /> : <FarStep {...props.data} />}
    </Ends>
  );
});

function FarStep({ step, problems, picked, target, status, mark }: StepData) {
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

function StepCard({ step, problems, picked, target, status, mark }: StepData) {
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
    </div>
  );
}

const GateBox = memo(function GateBox(props: NodeProps<Node<GateData, "gate">>) {
  const near = useNear(props);
  return <Ends usable={false}>{near ? <GateCard {...props.data} /> : <FarGate {...props.data} />}</Ends>;
});

function FarGate({ problems, picked, mark }: GateData) {
  return (
    <div
      className="far-box far-gate"
      data-picked={picked ? "" : undefined}
      data-bad={problems > 0 ? "" : undefined}
      data-mark={mark}
    />
  );
}

function GateCard({ gate, problems, picked, mark }: GateData) {
  return (
    <div
      className={cn(
        "flex size-full items-center gap-2 rounded-full border border-warn-fill bg-warn-bg px-4",
        mark && markBox[mark],
        problems > 0 && "border-2 border-bad-fill",
        picked && "outline-2 outline-offset-2 outline-accent",
      )}
      title={[placeText(gate), rejectText(gate)].filter(Boolean).join(". ")}
    >
      <Hand aria-hidden className="size-4 shrink-0 text-warn-text" />
      <span className="min-w-0 flex-1">
        <span className={cn("block truncate text-control font-medium", mark === "removed" && "line-through")}>
          {gateTitle(gate)}
        </span>
        <span className="flex items-center gap-2 text-meta text-warn-text">
          <span className="truncate">
            {callsOf(gate)}
            {askedText(gate)}
          </span>
          {gate.timeout?.after && (
            <span className="flex shrink-0 items-center gap-0.5">
              <Clock aria-hidden className="size-3" />
              {gate.timeout.after}
            </span>
          )}
          <span className="flex shrink-0 items-center gap-0.5">
            <GitFork aria-hidden className="size-3" />
            {rejectShort[gate.on_reject ?? defaultReject(gate)]}
          </span>
        </span>
      </span>
      {mark && <MarkWord mark={mark} />}
    </div>
  );
}

/** Which tool calls it is about, before who is asked. */
function callsOf(gate: GateDef): string {
  const { place, of } = spotOfGate(gate);
  return place !== "call" ? "" : of === "*" ? "every call · " : `${of} · `;
}

/** Marked by a word and the line, not by colour alone. */
const markBox: Record<Mark, string> = {
  added: "border-2 border-ok-text",
  changed: "border-2 border-warn-text",
  removed: "border-2 border-dashed border-bad-text bg-bad-bg",
};

export const nodeTypes = { step: StepBox, gate: GateBox };

const markFrame: Record<Mark, Role> = { added: "ok-text", changed: "warn-text", removed: "bad-text" };
const toneFrame: Record<Tone, Role> = {
  neutral: "muted",
  accent: "accent-text",
  ok: "ok-text",
  warn: "warn-text",
  bad: "bad-text",
  info: "info-text",
};

/** How a node is painted: as the boxes above look from afar. */
export function spotOf({ id, position, width = 0, height = 0, data }: Node): Spot {
  const { step, mark, problems, status, gate } = data as Partial<StepData & GateData>;
  const frame = mark
    ? markFrame[mark]
    : problems
      ? "bad-fill"
      : gate
        ? "warn-fill"
        : status
          ? toneFrame[stepStatus[status].tone]
          : "border-strong";
  const title = step ? stepTitle(step) : "";
  return { id, ...position, width, height, gate: !!gate, frame, dashed: mark === "removed", title };
}
