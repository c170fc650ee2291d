import { ArrowDown, ArrowLeft, Bot, Hand, SearchX, Wrench } from "lucide-react";
import { Fragment, useState } from "react";
import { useMay, useSuggestion } from "../api";
import type { PlanSuggestion, StepWhy } from "../api/types";
import { IntentForm } from "../intent/IntentForm";
import { Link, useNavigate, useSearch } from "../router";
import { Page } from "../shell";
import { Badge } from "../ui/Badge";
import { Button } from "../ui/Button";
import { Card } from "../ui/Card";
import { CodeBlock } from "../ui/CodeBlock";
import { EmptyState } from "../ui/EmptyState";
import { ErrorNote } from "../ui/ErrorNote";
import { SkeletonRows } from "../ui/Skeleton";
import { Visible } from "../ui/Visible";
import { format, type Tone } from "../words";
import { called, reasonText } from "../words/suggestion";
import { type Drawn, layersOf } from "./layers";

/** A plan for a sentence: drawn, with the reason for each step. Nothing is saved. */
export function SuggestPage() {
  const navigate = useNavigate();
  const { intent = "", agent = "" } = useSearch();
  const found = useSuggestion(intent, agent);
  return (
    <Page
      title="Suggest a plan"
      lead="Describe what you want. Nothing is saved or run."
      back={
        <Button asChild look="ghost" size="icon">
          <Link to="/runs" aria-label="Back to the runs" title="Back to the runs">
            <ArrowLeft aria-hidden />
          </Link>
        </Button>
      }
    >
      <div className="max-w-4xl space-y-4">
        <Question
          intent={intent}
          agent={agent}
          busy={found.isFetching}
          onAsk={(next) => {
            if (next.intent === intent && next.agent === agent) void found.refetch();
            else void navigate({ to: "/suggest", search: next });
          }}
        />
        {found.isFetching && !found.data && <SkeletonRows rows={4} />}
        {found.error && <ErrorNote error={found.error} />}
        {found.data &&
          (found.data.found ? (
            <Suggested plan={found.data} intent={intent} agent={agent} />
          ) : (
            <Nothing plan={found.data} />
          ))}
      </div>
    </Page>
  );
}

function Question(props: {
  intent: string;
  agent: string;
  busy: boolean;
  onAsk: (next: { intent: string; agent: string }) => void;
}) {
  const [text, setText] = useState(props.intent);
  const [agent, setAgent] = useState(props.agent);
  // Another question in the URL, as after a step back. The form stays, and with it the focus.
  const [asked, setAsked] = useState({ intent: props.intent, agent: props.agent });
  if (asked.intent !== props.intent || asked.agent !== props.agent) {
    setAsked({ intent: props.intent, agent: props.agent });
    setText(props.intent);
    setAgent(props.agent);
  }
  return (
    <IntentForm
      className="space-y-1"
      text={text}
      agent={agent}
      busy={props.busy}
      label="Suggest a plan"
      look="filled"
      onText={setText}
      onAgent={setAgent}
      onAsk={props.onAsk}
    />
  );
}

const toneOf = (confidence: number): Tone => (confidence >= 0.9 ? "ok" : confidence >= 0.6 ? "warn" : "bad");

function Suggested({ plan, intent, agent }: { plan: PlanSuggestion; intent: string; agent: string }) {
  const may = useMay();
  const why = new Map(plan.why.map((w) => [w.step, w]));
  const layers = layersOf(plan.definition);
  return (
    <>
      <Card
        title="Plan"
        actions={
          <Badge
            tone={toneOf(plan.confidence)}
            title="How well the plan accounts for your words: that of its weakest step."
          >
            {format.percent(plan.confidence)} confident
          </Badge>
        }
      >
        <Remarks plan={plan} />
        <ol aria-label="Steps, layer by layer">
          {layers.map((steps, i) => (
            <Fragment key={i}>
              {i > 0 && (
                <li aria-hidden className="flex justify-center py-1 text-muted">
                  <ArrowDown className="size-4" />
                </li>
              )}
              <li>
                <ul className="grid gap-2 sm:grid-flow-col sm:auto-cols-fr">
                  {steps.map((step) => (
                    <StepCard key={step.id} step={step} why={why.get(step.id)} />
                  ))}
                </ul>
              </li>
            </Fragment>
          ))}
        </ol>
      </Card>
      {plan.yaml && (
        <Card title="Workflow file">
          <p className="mb-2 text-muted">
            Copy it into a file of your workflows folder, and change what you like. It is not published.
          </p>
          {may("admin") && (
            <Button asChild className="mb-2">
              <Link to="/workflows" search={{ intent, agent: agent || undefined }}>
                Open as a draft
              </Link>
            </Button>
          )}
          <CodeBlock text={plan.yaml} whole />
        </Card>
      )}
    </>
  );
}

/** "page_finder.pages" → "Page finder › Pages" */
const source = (path: string) => path.split(".").map(format.title).join(" › ");

function StepCard({ step, why }: { step: Drawn; why?: StepWhy }) {
  const agent = why?.tool.startsWith("agent:");
  const Icon = agent ? Bot : Wrench;
  return (
    <li className="min-w-0 rounded-md border bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2">
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 flex-1 basis-32 font-medium break-words">
          <Visible text={format.title(step.id)} />
        </span>
        {why?.asks && (
          <Badge tone="warn" icon={Hand} title="A gate asks people before this step.">
            Asks people
          </Badge>
        )}
        {why && <Badge tone={toneOf(why.confidence)}>{format.percent(why.confidence)}</Badge>}
      </div>
      {why && (
        <>
          <p className="text-small break-all text-muted">
            <Visible text={called(why.tool)} />
            {step.each && (
              <>
                {" · for each of "}
                <Visible text={source(step.each)} />
              </>
            )}
          </p>
          <ul className="mt-2 space-y-0.5 text-control">
            {why.because.split("; ").map((reason) => (
              <li key={reason} className="break-words">
                <Visible text={reasonText(reason)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

/** What the plan does not cover. */
function Remarks({ plan }: { plan: PlanSuggestion }) {
  const remarks = [
    ...plan.missing.map((part) => `Nothing fits “${part}”.`),
    ...(plan.arranged_by ? [`Arranged by ${format.title(plan.arranged_by)}.`] : []),
    ...(plan.notes ?? []),
  ];
  if (remarks.length === 0) return null;
  return (
    <ul className="mb-3 space-y-1 rounded-sm bg-warn-bg p-3 text-warn-text">
      {remarks.map((text) => (
        <li key={text} className="break-words">
          <Visible text={text} />
        </li>
      ))}
    </ul>
  );
}

function Nothing({ plan }: { plan: PlanSuggestion }) {
  return (
    <Card>
      <EmptyState icon={SearchX} title="No plan found">
        {plan.candidates.length > 0
          ? "Nothing fits well enough. These tools and agents come nearest; use their words."
          : "None of the tools and agents fits. Use other words, or add a tool."}
      </EmptyState>
      {plan.candidates.length > 0 && (
        <ul aria-label="Nearest tools and agents" className="divide-y rounded-sm border">
          {plan.candidates.map((tool) => (
            <li key={tool.name} className="px-3 py-2">
              <span className="font-medium break-words">
                <Visible text={called(tool.name)} />
              </span>
              <span className="block text-small break-words text-muted">
                <Visible text={tool.description} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {(plan.notes?.length ?? 0) > 0 && (
        <div className="mt-3">
          <Remarks plan={{ ...plan, missing: [] }} />
        </div>
      )}
    </Card>
  );
}
