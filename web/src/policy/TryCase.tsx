import { ArrowRight, CircleCheck, CircleDashed, Play } from "lucide-react";
import { useState } from "react";
import { useApprovals } from "../api";
import { type TriedCase, useVerdict, type Verdict } from "../api/policyEdit";
import type { RiskLevel } from "../api/types";
import { pretty, raw, treeOf } from "../json";
import { cn } from "../lib/cn";
import { Badge, Button, Card, CodeEditor, ErrorNote, Field, Input, Select, SkeletonRows } from "../ui";
import { Visible } from "../ui/Visible";
import { format, risk, ruleEffect } from "../words";
import type { Work } from "./useWork";

interface Form {
  operation: string;
  tool: string;
  workflow: string;
  agent: string;
  risk: RiskLevel | "";
  confidence: string;
  data: string;
}

const empty: Form = { operation: "", tool: "", workflow: "", agent: "", risk: "", confidence: "", data: "{}" };

/** The case that a form describes, or the problem. */
function caseOf(form: Form): { subject?: TriedCase; fault?: string } {
  const confidence = form.confidence.trim() === "" ? undefined : Number(form.confidence);
  if (confidence !== undefined && !(confidence >= 0 && confidence <= 1))
    return { fault: "Confidence is a number from 0 to 1." };
  try {
    return {
      subject: {
        operation: form.operation.trim() || undefined,
        tool: form.tool.trim() || undefined,
        workflow: form.workflow.trim() || undefined,
        agent: form.agent.trim() || undefined,
        risk: form.risk || undefined,
        confidence,
        data: raw(form.data.trim() || "{}"),
      },
    };
  } catch {
    return { fault: "The data is not valid JSON." };
  }
}

/** How the policy would decide one case, rule by rule. Nothing is executed. */
export function TryCase({ work }: { work: Work }) {
  const [form, setForm] = useState<Form>(empty);
  const [tried, setTried] = useState<TriedCase>();
  const [fault, setFault] = useState<string>();
  const set = (change: Partial<Form>) => setForm((now) => ({ ...now, ...change }));
  const run = (now: Form) => {
    const { subject, fault } = caseOf(now);
    setFault(fault);
    if (subject) setTried(subject);
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[2fr_3fr]">
      <Card title="The case">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            run(form);
          }}
        >
          <Recent
            onChoose={(chosen) => {
              setForm(chosen);
              run(chosen);
            }}
          />
          <div className="grid gap-x-3 sm:grid-cols-2">
            <Field label="Operation" hint="Such as refund">
              <Input value={form.operation} onChange={(e) => set({ operation: e.target.value })} />
            </Field>
            <Field label="Risk">
              <Select
                className="w-full"
                value={form.risk}
                onValueChange={(value) => set({ risk: value as Form["risk"] })}
                options={[
                  { value: "", label: "Not set" },
                  ...(Object.keys(risk) as RiskLevel[]).map((value) => ({ value, label: risk[value].label })),
                ]}
              />
            </Field>
            <Field label="Tool">
              <Input value={form.tool} onChange={(e) => set({ tool: e.target.value })} />
            </Field>
            <Field label="Workflow">
              <Input value={form.workflow} onChange={(e) => set({ workflow: e.target.value })} />
            </Field>
            <Field label="Agent">
              <Input value={form.agent} onChange={(e) => set({ agent: e.target.value })} />
            </Field>
            <Field label="Confidence" hint="0 to 1">
              <Input
                inputMode="decimal"
                value={form.confidence}
                onChange={(e) => set({ confidence: e.target.value })}
              />
            </Field>
          </div>
          <p className="mb-1 text-small font-medium">Data</p>
          <CodeEditor
            language="json"
            label="Data of the case"
            value={form.data}
            onChange={(data) => set({ data })}
            className="min-h-24"
          />
          {fault && (
            <p role="alert" className="mt-2 text-small text-bad-text">
              {fault}
            </p>
          )}
          <Button type="submit" className="mt-3">
            <Play aria-hidden /> Try it
          </Button>
        </form>
      </Card>
      <div className="space-y-4">
        {tried ? (
          <Results tried={tried} work={work} />
        ) : (
          <p className="rounded-md border border-dashed p-6 text-center text-muted">
            Describe a case, or choose a recent approval. You see every rule on the way to the verdict. Nothing runs.
          </p>
        )}
      </div>
    </div>
  );
}

/** Fills the form with an approval of the past. */
function Recent({ onChoose }: { onChoose: (form: Form) => void }) {
  const { data } = useApprovals({ limit: 20, sort: "newest" });
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Field label="Start from a recent approval">
      <Select
        className="w-full"
        value=""
        placeholder="Choose an approval"
        onValueChange={(id) => {
          const one = items.find((a) => a.id === id);
          if (!one) return;
          onChoose({
            operation: one.action?.operation ?? "",
            tool: one.action?.tool ?? "",
            workflow: one.workflow ?? "",
            agent: one.agent ?? "",
            risk: one.risk?.level ?? "",
            confidence: typeof one.confidence === "number" ? String(one.confidence) : "",
            data: pretty(treeOf(one.proposed)),
          });
        }}
        options={[{ value: "", label: "Choose an approval" }, ...items.map((a) => ({ value: a.id, label: a.title }))]}
      />
    </Field>
  );
}

function Results({ tried, work }: { tried: TriedCase; work: Work }) {
  const now = useVerdict(tried);
  const then = useVerdict(tried, work.text, work.dirty);
  return (
    <>
      {work.dirty && (
        <Result title="With your changes" verdict={then.data} error={then.error} busy={then.isFetching} whole />
      )}
      <Result
        title={work.dirty ? "In force" : "Verdict"}
        verdict={now.data}
        error={now.error}
        busy={now.isFetching}
        whole={!work.dirty}
      />
    </>
  );
}

function Result(props: { title: string; verdict?: Verdict; error: unknown; busy: boolean; whole: boolean }) {
  const { title, verdict, error, busy, whole } = props;
  const word = verdict && ruleEffect[verdict.effect];
  return (
    <Card title={title} aria-busy={busy} role="region" aria-label={title}>
      {error ? (
        <ErrorNote error={error} />
      ) : !verdict || !word ? (
        <SkeletonRows rows={3} />
      ) : (
        <>
          <p className="flex flex-wrap items-start gap-2" aria-live="polite">
            <Badge tone={word.tone} icon={word.icon}>
              {word.label}
            </Badge>
            <span className="min-w-0 flex-1 basis-60 break-words">
              <Visible text={verdict.reason} />
            </span>
          </p>
          {whole && <Path verdict={verdict} />}
        </>
      )}
    </Card>
  );
}

/** Every rule in order, up to the one that decides. */
function Path({ verdict }: { verdict: Verdict }) {
  const end = verdict.steps.findIndex((step) => step.decides);
  const shown = end < 0 ? verdict.steps : verdict.steps.slice(0, end + 1);
  const rest = verdict.steps.length - shown.length;
  return (
    <>
      <ol aria-label="Path to the verdict" className="mt-4">
        {shown.map((step) => {
          const Icon = step.decides ? CircleCheck : CircleDashed;
          return (
            <li
              key={step.path}
              className="relative flex gap-3 pb-3 not-last:before:absolute not-last:before:top-5 not-last:before:bottom-0 not-last:before:left-2 not-last:before:w-px not-last:before:bg-border"
            >
              <Icon
                aria-hidden
                className={cn("mt-0.5 size-4 shrink-0", step.decides ? "text-accent-text" : "text-muted")}
              />
              <div className="min-w-0 flex-1">
                <p className={cn("break-words", step.decides ? "font-semibold" : "")}>
                  <Visible text={step.rule} />
                </p>
                <p className="text-small break-words text-muted">
                  <Visible text={`${step.when.charAt(0).toUpperCase()}${step.when.slice(1)}`} />
                </p>
                <p
                  className={cn(
                    "flex items-start gap-1 text-small break-words",
                    step.decides ? "text-accent-text" : "text-muted",
                  )}
                >
                  <ArrowRight aria-hidden className="mt-1 size-3 shrink-0" />
                  <span className="min-w-0">
                    <Visible text={step.result} />
                  </span>
                </p>
              </div>
            </li>
          );
        })}
      </ol>
      {rest > 0 && <p className="text-small text-muted">{format.plural(rest, "later rule")} not reached.</p>}
    </>
  );
}
