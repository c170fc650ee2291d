import { GitFork, Hand, OctagonAlert, Plus } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { cn } from "../lib/cn";
import { Button } from "../ui/Button";
import { MarkWord } from "./ChangeBar";
import { doerOf, type GateDef, needsOf, type StepDef, spotOf } from "./model/flow";
import { gateNode } from "./model/place";
import { askedText, doerWord, doneBy, gateTitle, placeText, rejectText, stepTitle } from "./say";
import type { Studio } from "./studio";

/** The workflow as a list: the same as the canvas, and the editor on phones. */
export function Outline({ studio, className }: { studio: Studio; className?: string }) {
  const { editor, openPalette, difference } = studio;
  const { flow, editable } = editor;
  const list = useRef<HTMLOListElement>(null);
  const gates = (place: string, of = "") =>
    flow.gates.filter((g) => {
      const spot = spotOf(g);
      return spot.place === place && spot.of === of;
    });
  const known = new Set(flow.steps.map((s) => s.id));
  const elsewhere = flow.gates.filter((g) => {
    const { place, of } = spotOf(g);
    return place === "call" || ((place === "before" || place === "after") && !known.has(of));
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    event.preventDefault();
    rows[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  };
  return (
    <div className={cn("min-h-0 flex-1 overflow-y-auto p-3 sm:p-4", className)}>
      <ol ref={list} aria-label="Steps in order" className="mx-auto max-w-2xl space-y-2" onKeyDown={onKeyDown}>
        {gates("start").map((g) => (
          <GateRow key={g.id} gate={g} studio={studio} />
        ))}
        {flow.steps.map((step, i) => [
          ...gates("before", step.id).map((g) => <GateRow key={`gate ${g.id}`} gate={g} studio={studio} />),
          <StepRow key={`${step.id} ${i}`} step={step} index={i} studio={studio} />,
          ...gates("after", step.id).map((g) => <GateRow key={`gate ${g.id}`} gate={g} studio={studio} />),
        ])}
        {[...gates("end"), ...elsewhere].map((g) => (
          <GateRow key={g.id} gate={g} studio={studio} />
        ))}
        {difference &&
          [
            ...difference.before.gates.map((g) => ({ node: gateNode(g.id), name: gateTitle(g), what: "Approval" })),
            ...difference.before.steps.map((s) => ({ node: s.id, name: stepTitle(s), what: doneBy(s) })),
          ]
            .filter(({ node }) => difference.marks.get(node) === "removed")
            .map(({ node, name, what }) => (
              <li
                key={`removed ${node}`}
                className="flex rounded-md border border-dashed border-bad-text bg-bad-bg px-3 py-2"
              >
                <span className="min-w-0 flex-1">
                  <del className="block truncate font-medium">{name}</del>
                  <span className="block truncate text-control text-bad-text">{what}</span>
                </span>
                <MarkWord mark="removed" />
              </li>
            ))}
        {editable && (
          <li>
            <Button className="w-full" onClick={() => openPalette({ after: flow.steps.at(-1)?.id })}>
              <Plus aria-hidden /> Add a step
            </Button>
          </li>
        )}
      </ol>
    </div>
  );
}

const rowLook = "flex min-h-11 min-w-0 flex-1 items-center gap-2 rounded-md px-3 py-2 text-left hover:bg-hover";

function StepRow({ step, index, studio }: { step: StepDef; index: number; studio: Studio }) {
  const { editor, picked, pick, problemsOf, openPalette } = studio;
  const here = picked?.kind === "step" && picked.id === step.id;
  const problems = problemsOf("step", step.id);
  const mark = studio.difference?.marks.get(step.id);
  const Icon = doerWord[doerOf(step)].icon;
  const needs = needsOf(editor.flow, index);
  const before = editor.flow.steps[index - 1]?.id;
  const unusual = needs.length !== 1 || needs[0] !== before;
  const name = (id: string) => stepTitle({ id });
  return (
    <li
      className={cn(
        "flex items-stretch rounded-md border bg-surface",
        here && "border-accent bg-accent-bg",
        problems.length > 0 && "border-bad-fill",
      )}
    >
      <button
        type="button"
        data-row
        aria-pressed={here}
        className={rowLook}
        onClick={() => pick({ kind: "step", id: step.id })}
      >
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{stepTitle(step)}</span>
          <span className="block truncate text-control text-muted">
            {doneBy(step)}
            {unusual &&
              index > 0 &&
              ` · ${needs.length === 0 ? "from the start" : `after ${needs.map(name).join(", ")}`}`}
            {step.if && ` · if ${step.if}`}
            {step.each && ` · for each of ${step.each}`}
          </span>
          {problems[0] && <span className="block text-small text-bad-text">{problems[0].message}</span>}
        </span>
        {mark && <MarkWord mark={mark} />}
        {problems.length > 0 && <OctagonAlert aria-hidden className="size-4 shrink-0 text-bad-text" />}
      </button>
      {editor.editable && (
        <Button
          look="ghost"
          className="m-1 min-w-11 self-center"
          aria-label={`Add a step after ${stepTitle(step)}`}
          title="Add a step after this one"
          onClick={() => openPalette({ after: step.id })}
        >
          <Plus aria-hidden />
        </Button>
      )}
    </li>
  );
}

function GateRow({ gate, studio }: { gate: GateDef; studio: Studio }) {
  const { picked, pick, problemsOf } = studio;
  const here = picked?.kind === "gate" && picked.id === gate.id;
  const problems = problemsOf("gate", gate.id);
  const mark = studio.difference?.marks.get(gateNode(gate.id));
  return (
    <li
      className={cn(
        "ml-6 flex rounded-full border border-warn-fill bg-warn-bg",
        here && "outline-2 outline-accent",
        problems.length > 0 && "border-bad-fill",
      )}
    >
      <button
        type="button"
        data-row
        aria-pressed={here}
        className={cn(rowLook, "rounded-full")}
        onClick={() => pick({ kind: "gate", id: gate.id })}
      >
        <Hand aria-hidden className="size-4 shrink-0 text-warn-text" />
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{gateTitle(gate)}</span>
          <span className="block truncate text-control text-warn-text">
            {placeText(gate)} · {askedText(gate)}
            {gate.timeout?.after && ` · ${gate.timeout.after}`}
          </span>
          <span className="flex items-center gap-1 text-control text-warn-text">
            <GitFork aria-hidden className="size-3 shrink-0" />
            {rejectText(gate)}
          </span>
          {problems[0] && <span className="block text-small text-bad-text">{problems[0].message}</span>}
        </span>
        {mark && <MarkWord mark={mark} />}
      </button>
    </li>
  );
}
