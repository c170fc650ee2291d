import { lazy, Suspense, useMemo, useState } from "react";
import { pretty, raw, treeOf } from "../json";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { ErrorNote } from "../ui/ErrorNote";
import { JsonView } from "../ui/JsonView";
import { Skeleton } from "../ui/Skeleton";
import { marked } from "../ui/Visible";
import { format } from "../words";
import { ChangeList } from "./ChangeList";
import { diffOf } from "./diff";
import { SchemaForm } from "./form/SchemaForm";
import { isPlanEdit } from "./plan/planEdit";
import { planUnchanged, proposedOf } from "./plan/planShown";
import { Segments } from "./Segments";
import type { Desk } from "./useDesk";
import type { Grounds } from "./useGrounds";
import { Values } from "./Values";

const JsonEditor = lazy(() => import("./JsonEditor"));
const PlanForm = lazy(() => import("./plan/PlanForm"));

/** Whether the proposal is a change of the plan, which has a form of its own. */
function changesPlan({ approval, edited }: Desk): boolean {
  return (approval.action.type === "layer" || approval.action.type === "replan") && isPlanEdit(edited);
}

/** Shown if nothing is proposed, to make clear that nothing is missing by mistake. */
const nothing: Record<string, string> = {
  tool_call: "It would be called without arguments.",
  step: "The step gets no input.",
  run: "The run would start without input.",
  result: "The result is empty.",
  output: "The result is empty.",
};

type View = "form" | "json" | "changes";

const titles: Record<string, string> = {
  tool_call: "Tool call",
  step: "Step input",
  result: "Proposed result",
  run: "Run input",
  output: "Result of the run",
  limit: "Limit",
  layer: "Changes to the plan",
  replan: "Changes to the plan",
};

/** The proposal under decision: as text, as JSON, compared, or as a form to edit. */
export function Proposal({ desk, evidence }: { desk: Desk; evidence: Grounds["evidence"] }) {
  const { approval } = desk;
  const editing = desk.editing && !desk.submits && !desk.stale;
  const [view, setView] = useState<View>("form");
  const original = desk.whole.original ?? undefined;
  const views: { value: View; label: string }[] = [
    ...(desk.large ? [] : [{ value: "form" as const, label: "Form" }]),
    { value: "json", label: "JSON" },
    ...(original && !editing && !desk.large ? [{ value: "changes" as const, label: "Compare" }] : []),
  ];
  const bare = desk.empty && !editing && !original;
  const shown = views.some((v) => v.value === view) ? view : (views[0]?.value ?? "json");
  const title = editing
    ? "Change it"
    : desk.submits
      ? "What is known so far"
      : (titles[approval.action.type] ?? "What is proposed");
  return (
    <Card
      id={desk.submits ? undefined : "proposal"}
      title={title}
      actions={
        !bare &&
        views.length > 1 && <Segments label="How it is shown" options={views} value={shown} onChange={setView} />
      }
    >
      {bare ? (
        <p className="text-muted">
          {nothing[approval.action.type] ?? "Nothing is proposed beyond the question itself."}
        </p>
      ) : desk.blob ? (
        <Folded desk={desk} />
      ) : editing ? (
        <Editing desk={desk} view={shown} />
      ) : (
        <Reading desk={desk} view={shown} evidence={evidence} />
      )}
    </Card>
  );
}

function Reading({ desk, view, evidence }: { desk: Desk; view: View; evidence: Grounds["evidence"] }) {
  const { proposed } = desk;
  if (desk.large) return <JsonView value={proposed} whole onShown={desk.onDrawn} />;
  return <Small desk={desk} view={view} evidence={evidence} />;
}

function Small({ desk, view, evidence }: { desk: Desk; view: View; evidence: Grounds["evidence"] }) {
  const { proposed, schema } = desk;
  const original = desk.whole.original ?? undefined;
  const tree = useMemo(() => treeOf(proposed), [proposed]);
  const before = useMemo(() => (original ? treeOf(original) : undefined), [original]);
  // The data submitted through a form has a different shape from the proposal shown here.
  const own = desk.submits ? undefined : schema;
  if (view === "json") return <JsonView value={proposed} whole />;
  if (view === "changes" && before) {
    return (
      <>
        <p className="mb-2 text-small text-muted">From the agent's proposal to the current version.</p>
        <ChangeList changes={diffOf(before, tree)} schema={own} />
      </>
    );
  }
  if (!before && changesPlan(desk)) {
    const changes = proposedOf({ reason: "loop", proposed });
    return changes ? <Values tree={changes} schema={own} whole /> : <p className="text-muted">{planUnchanged}</p>;
  }
  return <Values tree={tree} schema={own} before={before} evidence={evidence} whole />;
}

function Editing({ desk, view }: { desk: Desk; view: View }) {
  const { faults } = desk;
  const whole = faults.get("");
  return (
    <div>
      {view === "json" ? (
        <AsJson desk={desk} />
      ) : changesPlan(desk) ? (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <PlanForm desk={desk} />
        </Suspense>
      ) : (
        <SchemaForm
          tree={desk.edited}
          schema={desk.schema}
          faults={faults}
          onChange={desk.edit}
          onBroken={desk.broken}
          disabled={desk.sending}
        />
      )}
      {view === "json" && faults.size > 0 && (
        <ul className="mt-2 space-y-0.5 text-small text-bad-text">
          {[...faults].map(([path, message]) => (
            <li key={path}>
              {path && <code className="mr-1">{marked(path)}</code>}
              {marked(message)}
            </li>
          ))}
        </ul>
      )}
      {view === "form" && whole && !changesPlan(desk) && <p className="text-small text-bad-text">{marked(whole)}</p>}
      {!(view === "form" && changesPlan(desk)) && <Summary desk={desk} />}
    </div>
  );
}

function Summary({ desk }: { desk: Desk }) {
  const { changes, checking, faults } = desk;
  return (
    <section aria-label="What you change" className="mt-4 border-t pt-3">
      <h3 className="mb-2 flex items-baseline gap-2 text-small font-semibold">
        {changes.length === 0 ? "Nothing changed yet" : format.plural(changes.length, "change")}
        <span aria-live="polite" className="font-normal text-muted">
          {checking
            ? "checking…"
            : faults.size > 0
              ? `${format.plural(faults.size, "field")} to fix`
              : changes.length > 0
                ? "fits"
                : ""}
        </span>
      </h3>
      {changes.length > 0 && <ChangeList changes={changes} schema={desk.schema} />}
    </section>
  );
}

/** The proposal as text. Invalid JSON blocks sending; valid JSON becomes the draft. */
function AsJson({ desk }: { desk: Desk }) {
  const [typed, setTyped] = useState<string>();
  const shown = useMemo(() => pretty(desk.edited), [desk.edited]);
  const change = (text: string) => {
    setTyped(text);
    try {
      desk.edit(treeOf(raw(text)));
      desk.broken("", undefined);
    } catch {
      desk.broken("", "Not valid JSON yet.");
    }
  };
  return (
    <Suspense fallback={<Skeleton className="h-40" />}>
      <JsonEditor text={typed ?? shown} onChange={change} label="The proposal as JSON" readOnly={desk.sending} />
    </Suspense>
  );
}

/** A value over 64 KiB: the beginning, and the rest on demand. */
function Folded({ desk }: { desk: Desk }) {
  const { blob, whole } = desk;
  if (!blob) return null;
  return (
    <div>
      <p className="mb-2">
        This is large ({format.bytes(blob.size)}). Only its beginning is shown; look at all of it before you decide.
      </p>
      <pre className="rounded-sm border bg-sunken p-3 break-words whitespace-pre-wrap">
        {marked(blob.preview)}
        <span className="text-muted">{" …"}</span>
      </pre>
      <div className="mt-2 flex items-center gap-2">
        <Button look="filled" loading={whole.loading} onClick={whole.load}>
          Show all {format.bytes(blob.size)}
        </Button>
      </div>
      {whole.error && (
        <div className="mt-2">
          <ErrorNote error={whole.error} />
        </div>
      )}
    </div>
  );
}
