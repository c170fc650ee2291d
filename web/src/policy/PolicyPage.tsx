import { GitCompareArrows, Redo2, Rows3, Save, Text, Undo2, Upload } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { type Policy, useMay, usePolicy } from "../api";
import { usePolicyProblems, useSavePolicy, useSettledValue } from "../api/policyEdit";
import { cn } from "../lib/cn";
import { takeOffer } from "../lib/offer";
import { useNavigate, useSearch } from "../router";
import { Page, useShortcuts } from "../shell";
import { Button, ErrorNote, IconButton, Skeleton, SkeletonRows, Tabs, Time, toast } from "../ui";
import { inWords } from "../ui/inWords";
import { keepFocus } from "../ui/returnFocus";
import { Visible } from "../ui/Visible";
import { format } from "../words";
import { author } from "../words/author";
import { compare } from "./changes";
import { DisableRule } from "./DisableRule";
import { add, firstPriority, read } from "./model";
import { AddRule, countText, Rules } from "./Rules";
import { useWork, type Work } from "./useWork";

const TryCase = lazy(async () => ({ default: (await import("./TryCase")).TryCase }));
const BacktestView = lazy(async () => ({ default: (await import("./BacktestView")).BacktestView }));
const Suggested = lazy(async () => ({ default: (await import("./Suggested")).Suggested }));
const Automatic = lazy(async () => ({ default: (await import("./Automatic")).Automatic }));
const Versions = lazy(async () => ({ default: (await import("./Versions")).Versions }));
const YamlView = lazy(async () => ({ default: (await import("./YamlView")).YamlView }));
const Overtaken = lazy(async () => ({ default: (await import("./Overtaken")).Overtaken }));
const PublishDialog = lazy(async () => ({ default: (await import("./PublishDialog")).PublishDialog }));

/** The rules that determine when agents may act on their own. */
export function PolicyPage() {
  const { data, error, refetch } = usePolicy();
  if (data) return <Loaded policy={data} />;
  return (
    <Page title="Policy" lead="When agents may act on their own, and when people are asked">
      {error ? (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void refetch()}>
              Try again
            </Button>
          }
        />
      ) : (
        <SkeletonRows rows={5} />
      )}
    </Page>
  );
}

const tabNames = ["rules", "try", "backtest", "suggestions", "automatic", "versions"] as const;
type TabName = (typeof tabNames)[number];

function Loaded({ policy }: { policy: Policy }) {
  const may = useMay();
  const editable = may("admin");
  const search = useSearch();
  const navigate = useNavigate();
  const work = useWork(policy.yaml, policy.version);
  const settled = useSettledValue(work.text);
  const { data: checked } = usePolicyProblems(settled);
  const problems = useMemo(
    () => [...(checked?.problems ?? []), ...(checked?.warnings ?? []).map((fault) => ({ ...fault, warning: true }))],
    [checked],
  );
  const model = useMemo(() => read(work.text), [work.text]);
  const [adding, setAdding] = useState(false);
  const tab: TabName = tabNames.find((name) => name === search.tab) ?? "rules";
  const go = (to: TabName, more: Record<string, string> = {}) =>
    void navigate({ search: { ...(to === "rules" ? {} : { tab: to }), ...more } }, { replace: true });
  const { set, text } = work;
  // A rule that was drafted on another page arrives once.
  useEffect(() => {
    const offer = takeOffer();
    if (offer)
      set(
        add(text, {
          name: offer.name,
          priority: firstPriority(read(text).rules),
          trigger: offer.trigger,
          action: offer.action,
        }),
      );
  }, [set, text]);
  useShortcuts([
    { keys: "mod+z", label: "Undo", group: "Policy", run: () => work.undo?.() },
    { keys: "mod+shift+z", label: "Redo", group: "Policy", run: () => work.redo?.() },
  ]);
  // Without cards there is a message, which stands in the middle of the page.
  const bare = search.view !== "yaml" && (model.broken || model.rules.length + model.automatic.length === 0);
  const rulesView =
    search.view === "yaml" ? (
      <YamlView
        work={work}
        problems={problems}
        checked={settled === work.text && !!checked?.valid}
        editable={editable}
      />
    ) : (
      <Rules
        policy={policy}
        model={model}
        work={work}
        settled={settled}
        problems={settled === work.text ? problems : []}
        editable={editable}
        adding={adding}
        onAdded={() => setAdding(false)}
      />
    );
  const rules = (
    <>
      {search.disable && <DisableRule name={search.disable} model={model} work={work} editable={editable} />}
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <ViewChoice
          yaml={search.view === "yaml"}
          onChange={(yaml) => void navigate({ search: yaml ? { view: "yaml" } : {} }, { replace: true })}
        />
        {editable && (
          <>
            <IconButton label="Undo" disabled={!work.undo} onClick={() => work.undo?.()}>
              <Undo2 aria-hidden />
            </IconButton>
            <IconButton label="Redo" disabled={!work.redo} onClick={() => work.redo?.()}>
              <Redo2 aria-hidden />
            </IconButton>
            <span className="flex-1" />
            {search.view !== "yaml" && <AddRule onClick={() => setAdding(true)} />}
          </>
        )}
      </div>
      <div className={cn(!bare && "max-w-4xl")}>
        <Suspense fallback={<Skeleton className="h-64" />}>{rulesView}</Suspense>
      </div>
    </>
  );
  const addRule = (rule: Record<string, unknown>) => {
    keepFocus(); // the view with the button goes
    work.set(add(work.text, { ...rule, priority: firstPriority(model.rules) }));
    go("backtest");
  };
  const content: Record<TabName, React.ReactNode> = {
    rules,
    try: <TryCase work={work} />,
    backtest: <BacktestView work={work} />,
    suggestions: <Suggested onAdd={editable ? addRule : undefined} />,
    automatic: <Automatic policy={policy} />,
    versions: (
      <Versions
        inForce={policy.yaml}
        onUse={
          editable
            ? (text) => {
                work.set(text);
                go("rules");
              }
            : undefined
        }
      />
    ),
  };
  const labels: Record<TabName, string> = {
    rules: "Rules",
    try: "Try a case",
    backtest: "Backtest",
    suggestions: "Suggestions",
    automatic: "Automatic approvals",
    versions: "Versions",
  };
  return (
    <Page
      title="Policy"
      lead={
        <>
          {countText(read(policy.yaml))} in force
          {policy.version > 0 && (
            <>
              {" · "}version {policy.version} by <Visible text={author(policy.by)} />, <Time at={policy.at} />
            </>
          )}
        </>
      }
      actions={editable && <Saving work={work} policy={policy} valid={checked?.valid !== false} />}
    >
      <Notes policy={policy} work={work} />
      <Tabs
        label="Policy"
        className="-mx-4 sm:-mx-6 sm:[&>[role=tablist]]:px-6"
        value={tab}
        onValueChange={(value) => go(value as TabName)}
        tabs={tabNames.map((value) => ({
          value,
          label: labels[value],
          content: (
            <div className="px-4 pt-4 sm:px-6">
              <Suspense fallback={<SkeletonRows rows={4} />}>{content[value]}</Suspense>
            </div>
          ),
        }))}
      />
    </Page>
  );
}

function ViewChoice({ yaml, onChange }: { yaml: boolean; onChange: (yaml: boolean) => void }) {
  const look =
    "inline-flex h-(--tap) items-center gap-1.5 border-l px-3 text-control first:border-l-0 hover:bg-hover aria-pressed:bg-accent-bg aria-pressed:font-medium aria-pressed:text-accent-text";
  return (
    <fieldset className="inline-flex overflow-hidden rounded-sm border border-border-strong">
      <legend className="sr-only">View</legend>
      <button type="button" aria-pressed={!yaml} className={look} onClick={() => onChange(false)}>
        <Rows3 aria-hidden className="size-4" /> Cards
      </button>
      <button type="button" aria-pressed={yaml} className={look} onClick={() => onChange(true)}>
        <Text aria-hidden className="size-4" /> YAML
      </button>
    </fieldset>
  );
}

/** Discard, save as a draft, or publish. */
function Saving({ work, policy, valid }: { work: Work; policy: Policy; valid: boolean }) {
  const save = useSavePolicy();
  const [publishing, setPublishing] = useState(false);
  const [reviewing, setReviewing] = useState(false);
  if (!work.dirty) return null;
  const changes = compare(read(policy.yaml), read(work.text));
  return (
    <>
      <span className="text-small text-muted" role="status">
        {valid ? format.plural(changes.length, "unpublished change") : "Fix the problems to save"}
      </span>
      <Button
        onClick={() => {
          keepFocus();
          work.reset();
        }}
      >
        Discard
      </Button>
      <Button
        disabled={!valid}
        loading={save.isPending}
        onClick={() =>
          save.mutate(
            { text: work.text, draft: true },
            {
              onSuccess: (saved) =>
                toast({
                  title: `Saved as version ${saved.version}`,
                  detail: "Nothing changes until it is published.",
                  tone: "ok",
                }),
              onError: (error) => toast({ title: "Not saved", detail: inWords(error), tone: "bad" }),
            },
          )
        }
      >
        <Save aria-hidden /> Save draft
      </Button>
      {work.overtaken && (
        <Button onClick={() => setReviewing(true)}>
          <GitCompareArrows aria-hidden /> Review their changes
        </Button>
      )}
      <Button look="filled" disabled={!valid || work.overtaken} onClick={() => setPublishing(true)}>
        <Upload aria-hidden /> Publish…
      </Button>
      <Suspense>
        {(reviewing || publishing) && work.overtaken && (
          <Overtaken
            policy={policy}
            work={work}
            onClose={() => {
              setReviewing(false);
              setPublishing(false);
            }}
          />
        )}
        {publishing && !work.overtaken && (
          <PublishDialog
            text={work.text}
            changes={changes}
            over={work.version}
            onClose={() => setPublishing(false)}
            onOvertaken={() => setReviewing(true)}
            onPublished={(version) => {
              setPublishing(false);
              work.published(version);
              toast({ title: "The policy is in force", tone: "ok" });
            }}
          />
        )}
      </Suspense>
    </>
  );
}

/** What people should know before they read on. */
function Notes({ policy, work }: { policy: Policy; work: Work }) {
  const notes = [
    policy.emergency_stop.on ? "The emergency stop is on: no rule approves anything." : "",
    work.overtaken
      ? `Version ${policy.version} by ${author(policy.by)} took effect while you were editing. Review it before you publish.`
      : "",
    policy.file_problems.length > 0
      ? `The policy's files have ${format.plural(policy.file_problems.length, "problem")}; an older version is in force. ${policy.file_problems[0]?.message ?? ""}`
      : "",
  ].filter(Boolean);
  if (notes.length === 0) return null;
  return (
    <ul className="mb-3 space-y-1">
      {notes.map((note) => (
        <li key={note} className="rounded-md bg-warn-bg px-3 py-2 break-words text-warn-text">
          {note}
        </li>
      ))}
    </ul>
  );
}
