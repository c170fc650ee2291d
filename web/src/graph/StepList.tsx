import { useMemo } from "react";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { format, stepStatus } from "../words";
import { Ahead } from "./ahead";
import { doer, Facts } from "./facts";
import { gateText, gateWord } from "./gates";
import { Opener } from "./Opener";
import { comingNext, type GateNode, holdsMore, type Plan, planOf, type StepNode, shownStatus } from "./plan";
import type { RunGraphProps } from "./props";
import { toneText } from "./tones";
import { Within } from "./Within";

/** The steps in plan order, with the gates in their places. */
export function StepList({ run, gates, approvals, opened, ...shown }: RunGraphProps) {
  const plan = useMemo(() => planOf(run, gates, approvals, opened), [run, gates, approvals, opened]);
  return <PlanList run={run.id} plan={plan} {...shown} />;
}

interface PlanListProps extends Pick<RunGraphProps, "selected" | "onSelect" | "marked" | "onOpen" | "className"> {
  /** The run's id. */
  run: string;
  plan: Plan;
}

export function PlanList({ run, plan, selected, onSelect, marked, onOpen, className }: PlanListProps) {
  const rows = useMemo(() => inOrder(plan.nodes), [plan]);
  return (
    <ol aria-label="Steps" className={cn("divide-y", className)}>
      {rows.map((node) =>
        node.kind === "gate" ? (
          <GateRow key={node.id} node={node} />
        ) : (
          <StepRow
            key={node.id}
            run={run}
            node={node}
            onOpen={onOpen}
            selected={selected === node.id}
            marked={marked?.has(node.id) ?? false}
            onSelect={() => onSelect(selected === node.id ? undefined : node.id)}
          />
        ),
      )}
    </ol>
  );
}

/** By layer, each gate before or after its step. */
function inOrder(nodes: (StepNode | GateNode)[]): (StepNode | GateNode)[] {
  const gates = nodes.filter((n) => n.kind === "gate");
  const steps = nodes.filter((n) => n.kind === "step").sort((a, b) => a.step.layer - b.step.layer);
  const at = (place: string, step = "") => gates.filter((g) => g.gate.at === place && g.gate.step === step);
  const next = comingNext({ steps: steps.map((node) => node.step) })[0]?.id;
  return [
    ...at("start"),
    ...steps.flatMap((s) => [...(s.id === next ? at("layer") : []), ...at("before", s.id), s, ...at("after", s.id)]),
    ...at("end"),
  ];
}

interface StepRowProps extends Pick<RunGraphProps, "onOpen"> {
  run: string;
  node: StepNode;
  selected: boolean;
  marked: boolean;
  onSelect: () => void;
}

function StepRow({ run, node, selected, marked, onSelect, onOpen }: StepRowProps) {
  const { step, open, opened } = node;
  const word = stepStatus[shownStatus(node)];
  const Icon = word.icon;
  const faint = step.status === "skipped" || step.status === "cancelled";
  const opens = onOpen && holdsMore(step);
  return (
    <li data-node={node.id} className={cn("relative", marked && "bg-accent-bg")}>
      <button
        type="button"
        aria-pressed={selected}
        onClick={onSelect}
        className="flex min-h-11 w-full items-center gap-3 px-4 py-1.5 text-left -outline-offset-2 hover:bg-hover aria-pressed:bg-accent-bg"
      >
        <Icon
          aria-hidden
          className={cn("size-4 shrink-0", toneText[word.tone], word === stepStatus.running && "motion-spin")}
        />
        <span className="min-w-0 flex-1">
          <span className={cn("block break-words", faint ? "text-muted" : "font-medium")}>
            {/* Spaces, so that screen readers do not read one word. */}
            {format.title(step.id)}{" "}
            {step.injected && <span className="ml-2 text-small font-normal text-accent-text">added</span>}{" "}
            <Ahead ahead={step.ahead} className="ml-2" />
          </span>
          <span className="block text-small text-muted">
            {doer(step)}
            {step.needs.length > 0 && `, after ${step.needs.map(format.title).join(", ")}`}
          </span>
        </span>
        <span className="max-w-1/2 text-right text-small">
          <span className={cn("block font-medium", toneText[word.tone])}>{word.label}</span>
          <Facts step={step} open={open} className="text-muted" />
        </span>
        {opens && <span aria-hidden className="w-6 shrink-0" />}
      </button>
      {opens && (
        <Opener
          name={format.title(step.id)}
          opened={opened}
          onClick={() => onOpen(step.id)}
          className="absolute top-2.5 right-3"
        />
      )}
      {opened && (
        <div className="border-t bg-sunken pl-7">
          <Within run={run} step={step} />
        </div>
      )}
    </li>
  );
}

function GateRow({ node }: { node: GateNode }) {
  const word = gateWord[node.state];
  const Icon = word.icon;
  const body = (
    <>
      <Icon aria-hidden className={cn("size-4 shrink-0", toneText[word.tone])} />
      <span className="min-w-0 flex-1 break-words">
        <span className="text-muted">Gate: </span>
        {node.gate.title}
      </span>
      <span className={cn("text-right text-small", node.state === "open" ? toneText.warn : "text-muted")}>
        {gateText(node)}
      </span>
    </>
  );
  const look = "flex min-h-11 items-center gap-3 bg-sunken px-4 py-1.5";
  return (
    <li data-node={node.id} title={word.sentence}>
      {node.approval ? (
        <Link
          to="/approvals/$id"
          params={{ id: node.approval.id }}
          className={cn(look, "-outline-offset-2 hover:bg-hover")}
        >
          {body}
        </Link>
      ) : (
        <div className={look}>{body}</div>
      )}
    </li>
  );
}
