import type { Node, NodeProps } from "@xyflow/react";
import { Bot, type LucideIcon, Plus, User, Workflow, Wrench } from "lucide-react";
import { memo } from "react";
import { cn } from "../lib/cn";
import { Link } from "../router";
import { format, stepStatus } from "../words";
import { Ahead } from "./ahead";
import { doer, Facts } from "./facts";
import { gateText, gateWord } from "./gates";
import { Opener } from "./Opener";
import { type GateNode, holdsMore, type StepNode, shownStatus, toneOf } from "./plan";
import { toneChip, toneText } from "./tones";
import { Within } from "./Within";

export type StepFlow = Node<
  StepNode & {
    run: string;
    picked: boolean;
    marked: boolean;
    onOpen?: (step: string) => void;
  } & Record<string, unknown>,
  "step"
>;
export type GateFlow = Node<GateNode & { picked: boolean } & Record<string, unknown>, "gate">;

const kinds: Record<string, LucideIcon> = { human: User, workflow: Workflow, tool: Wrench };

export const StepBox = memo(function StepBox({ data }: NodeProps<StepFlow>) {
  const { run, step, open, picked, marked, opened, onOpen } = data;
  const status = shownStatus(data);
  const word = stepStatus[status];
  const Icon = word.icon;
  const Kind = kinds[step.kind] ?? Bot;
  const faint = step.status === "skipped" || step.status === "cancelled";
  return (
    <div
      data-tone={toneOf(data)}
      className={cn(
        "box flex size-full flex-col rounded-md border bg-surface transition-colors duration-[160ms]",
        status === "running" && "border-info-text",
        data.waits && "border-warn-fill",
        step.status === "failed" && "border-2 border-bad-fill",
        step.status === "pending" && "border-dashed",
        faint && "border-dashed bg-sunken",
        marked && "bg-accent-bg",
        picked && "outline-2 outline-offset-2 outline-accent",
      )}
    >
      <div className="flex h-[82px] shrink-0 flex-col justify-center gap-0.5 px-3">
        <span className="flex items-center gap-2">
          <Kind aria-hidden className="size-4 shrink-0 text-muted" />
          <span
            title={step.id}
            className={cn(
              "name min-w-0 flex-1 truncate font-medium",
              faint && "text-muted",
              step.status === "failed" && "font-semibold",
            )}
          >
            {format.title(step.id)}
          </span>
          {onOpen && holdsMore(step) && (
            <Opener name={format.title(step.id)} opened={opened} onClick={() => onOpen(step.id)} />
          )}
          {step.injected && (
            <span
              title="Added while the run was in progress."
              className={cn("flex items-center rounded-full px-1.5 text-small", toneChip.accent)}
            >
              <Plus aria-hidden className="size-3" />
              added
            </span>
          )}
          <Ahead ahead={step.ahead} />
        </span>
        <span title={doer(step)} className="more truncate text-control text-muted">
          {doer(step)}
        </span>
        <span className="more flex items-center gap-1.5 text-control whitespace-nowrap">
          <span
            title={word.sentence}
            className={cn("flex shrink-0 items-center gap-1 font-medium", toneText[word.tone])}
          >
            <Icon aria-hidden className={cn("size-3.5", word === stepStatus.running && "motion-spin")} />
            {word.label}
          </span>
          <Facts step={step} open={open} className="min-w-0 truncate text-muted" />
        </span>
      </div>
      {opened && (
        <div className="more nowheel nodrag nopan min-h-0 flex-1 overflow-y-auto border-t">
          <Within run={run} step={step} />
        </div>
      )}
    </div>
  );
});

export const GateBox = memo(function GateBox({ data }: NodeProps<GateFlow>) {
  const { gate, state, approval, picked } = data;
  const word = gateWord[state];
  const Icon = word.icon;
  const text = gateText(data);
  const body = (
    <>
      <Icon aria-hidden className={cn("size-4 shrink-0", toneText[word.tone])} />
      <span className="min-w-0">
        <span className="name block truncate text-control font-medium">{gate.title}</span>
        <span className={cn("more block truncate text-control", state === "open" ? toneText.warn : "text-muted")}>
          {text}
        </span>
      </span>
    </>
  );
  const look = cn(
    "box flex h-[52px] w-[216px] items-center gap-2 rounded-full border bg-sunken px-4",
    state === "open" && "border-warn-fill bg-warn-bg",
    (state === "ahead" || state === "unasked") && "border-dashed",
    picked && "outline-2 outline-offset-2 outline-accent",
  );
  const title = `Gate “${gate.title}”. ${word.sentence}`;
  return approval ? (
    <Link
      to="/approvals/$id"
      params={{ id: approval.id }}
      title={title}
      data-tone={toneOf(data)}
      data-gate
      className={cn(look, "nodrag hover:bg-hover")}
      tabIndex={-1}
    >
      {body}
    </Link>
  ) : (
    <div title={title} data-tone={toneOf(data)} data-gate className={look}>
      {body}
    </div>
  );
});
