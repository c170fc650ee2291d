import {
  ArrowLeft,
  Diff,
  Eraser,
  FlaskConical,
  History,
  OctagonAlert,
  Plus,
  Redo2,
  TriangleAlert,
  Undo2,
  Upload,
} from "lucide-react";
import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import {
  useMay,
  useTextPreview,
  useTools,
  useValidation,
  useWorkflows,
  useWorkflowVersion,
  useWorkflowVersions,
} from "../api";
import type { Run, ValidationFault } from "../api/types";
import { useNarrow, usePhone } from "../graph/usePhone";
import { cn } from "../lib/cn";
import { Link, useNavigate, usePageId, useSearch } from "../router";
import { Page, useShortcuts } from "../shell";
import { Badge } from "../ui/Badge";
import { Button, IconButton } from "../ui/Button";
import { CodeEditor } from "../ui/CodeEditor";
import { ErrorNote } from "../ui/ErrorNote";
import { keepFocus } from "../ui/returnFocus";
import { Skeleton, SkeletonRows } from "../ui/Skeleton";
import { VisuallyHidden } from "../ui/VisuallyHidden";
import { format } from "../words";
import type { Path } from "../yaml/splice";
import { ChangeBar } from "./ChangeBar";
import { Clashes } from "./Clashes";
import { useDiscarded } from "./discard";
import { EdgePanel } from "./EdgePanel";
import { FlowPanel } from "./FlowPanel";
import { GatePanel } from "./GatePanel";
import { catalogOf, mappingFor, needsMapping } from "./model/catalog";
import { differenceOf } from "./model/diff";
import {
  addGate,
  addStep,
  connect,
  disconnect,
  removeGate,
  removeStep,
  type Slot,
  setStep,
  wouldCircle,
} from "./model/edit";
import { faultIn, type GateDef, linesOf, readFlow, spotOf, subjectOf } from "./model/flow";
import { edgeIn, hereOf, newNameOf } from "./model/here";
import { passedTo } from "./model/passed";
import { gateNode } from "./model/place";
import { reasonsIn } from "./model/why";
import { Outline } from "./Outline";
import { Palette } from "./Palette";
import { useRoleNames } from "./RoleNames";
import { StepPanel } from "./StepPanel";
import { doerTitle, gateTitle, placeText, stepTitle } from "./say";
import type { Edge, EdgeValue, Picked, Studio, Test } from "./studio";
import { exampleOf, isJson, TestPanel } from "./TestPanel";
import { type Editor, type Loaded, toSend, useEditor, useLoaded } from "./useEditor";
import { useRunFrom } from "./useRunFrom";

const Canvas = lazy(() => import("./Canvas"));
const PublishDialog = lazy(() => import("./PublishDialog"));
const DiscardDialog = lazy(() => import("./DiscardDialog"));
const VersionsDialog = lazy(() => import("./VersionsDialog"));
const AddDialog = lazy(() => import("./AddDialog"));

/** The editor of a workflow: canvas, outline and YAML of one text. */
export function EditorPage() {
  const name = usePageId();
  const loaded = useLoaded(name);
  if (loaded.data) return <Loading key={name} name={name} loaded={loaded.data} />;
  return (
    <Page title={format.title(name)} back={<Back />}>
      {loaded.error ? <ErrorNote error={loaded.error} /> : <SkeletonRows rows={4} />}
    </Page>
  );
}

function Back() {
  return (
    <Button asChild look="ghost" size="icon">
      <Link to="/workflows" aria-label="Back to the workflows" title="Back to the workflows">
        <ArrowLeft aria-hidden />
      </Link>
    </Button>
  );
}

const saveWord: Record<Editor["save"], string> = {
  saved: "Saved",
  changed: "Saving…",
  saving: "Saving…",
  failed: "Not saved",
};

type View = "canvas" | "split" | "outline" | "yaml";

function Loading({ name, loaded }: { name: string; loaded: Loaded }) {
  const may = useMay();
  const editor = useEditor(name, loaded, may("admin"));
  const { flow, content } = editor;
  const phone = usePhone();
  const narrow = useNarrow();
  const navigate = useNavigate();
  const search = useSearch();
  const wanted = (search.view as View | undefined) ?? "canvas";
  const view: View = phone && wanted !== "yaml" ? "outline" : narrow && wanted === "split" ? "canvas" : wanted;
  const [{ picked, panels }, setPicked] = useState<{ picked?: Picked; panels: number }>({ panels: 0 });
  const pick = useCallback((next: Picked) => {
    setPicked(({ picked: was, panels }) => {
      const same = was?.kind === next?.kind && was?.id === next?.id;
      return { picked: next, panels: same ? panels : panels + 1 };
    });
  }, []);
  // What is selected may get another name, here or elsewhere. Its panel stays, with what is typed there.
  const [seen, setSeen] = useState(flow);
  if (seen !== flow) {
    setSeen(flow);
    const id = newNameOf(picked, seen, flow);
    if (picked && id) setPicked({ picked: { ...picked, id }, panels });
  }
  const [tab, setTab] = useState<"details" | "test">(search.test ? "test" : "details");
  const [palette, setPalette] = useState<Slot>();
  const [dialog, setDialog] = useState<"publish" | "versions" | "discard">();
  const [sample, setSample] = useState(0);
  const runId = search.test as string | undefined;
  const setRunId = (id: string | undefined) =>
    void navigate({ search: (s) => ({ ...s, test: id }) }, { replace: true });
  const [testRun, setTestRun] = useState<Run>();
  const [tested, setTested] = useState("");
  const panel = useRef<HTMLElement>(null);
  const [entering, setEntering] = useState(false);
  // The panel is far from the button that opens it: the focus goes there, and the phone scrolls to it.
  useEffect(() => {
    if (!entering) return;
    setEntering(false);
    panel.current?.focus();
  }, [entering]);
  // A message above makes the panel smaller: the field with the focus stays in view.
  const messages = [editor.failure !== undefined, editor.clashes.length, editor.gone].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a message comes or goes
  useEffect(() => {
    const field = document.activeElement;
    if (panel.current?.contains(field)) field?.scrollIntoView({ block: "nearest" });
  }, [messages]);
  const [comparing, setComparing] = useState(false);
  const versions = useWorkflowVersions(name);
  const published = versions.data?.find((v) => v.published)?.version;
  const discarded = useDiscarded();
  const { data: against } = useWorkflowVersion(name, published);
  const unchanged = against?.yaml === content.yaml;
  const difference = useMemo(() => {
    const before = comparing && against ? readFlow(against.yaml).flow : undefined;
    return before && differenceOf(before, flow);
  }, [comparing, against, flow]);

  // What the server says about it, a moment after the last keystroke.
  const text = useSettled(content.yaml, 350);
  const hasSteps = flow.steps.length > 0;
  const checked = useValidation(text, !editor.error && hasSteps);
  const last = useRef<ValidationFault[]>([]);
  if (checked.data) last.current = [...checked.data.problems, ...checked.data.warnings];
  const problems = useMemo(
    () =>
      editor.error || !hasSteps
        ? []
        : checked.data
          ? [...checked.data.problems, ...checked.data.warnings]
          : last.current,
    [checked.data, editor.error, hasSteps],
  );
  const input = content.samples[sample]?.input ?? exampleOf(flow.input);
  const settledInput = useSettled(input, 350);
  const preview = useTextPreview(name, text, settledInput, checked.data?.valid === true && isJson(settledInput));
  const shownPreview = useDeferredValue(checked.data?.valid ? preview.data : undefined);

  const { data: tools } = useTools();
  const { data: workflows } = useWorkflows();
  const catalog = useMemo(() => catalogOf(tools?.items ?? [], workflows?.items ?? [], name), [tools, workflows, name]);
  const roles = useRoleNames(flow);
  const places = useMemo(() => linesOf(text), [text]);
  const byPart = useMemo(() => {
    const found = new Map<string, ValidationFault[]>();
    for (const problem of problems) {
      const at = subjectOf(problem, flow, places);
      if (at) found.set(`${at.kind} ${at.id}`, [...(found.get(`${at.kind} ${at.id}`) ?? []), problem]);
    }
    return found;
  }, [problems, flow, places]);
  const problemsOf = useCallback((kind: "step" | "gate", id: string) => byPart.get(`${kind} ${id}`) ?? [], [byPart]);
  const faultAt = useCallback((path: Path) => faultIn(problems, path), [problems]);
  const statusOf = useCallback((step: string) => testRun?.steps.find((s) => s.id === step)?.status, [testRun]);

  const edgeOf = useCallback((id: string): Edge | undefined => edgeIn(flow, id), [flow]);
  const here = useMemo(() => hereOf(flow, picked), [flow, picked]);
  const dataOf = useCallback(
    (edge: Edge): EdgeValue | undefined => {
      if (!edge.after || (edge.from.startsWith("gate ") && !edge.to)) return undefined;
      const done = testRun?.steps.find((s) => s.id === edge.after)?.output;
      if (done) {
        const value = passedTo(
          flow.steps.find((s) => s.id === edge.to),
          edge.after,
          done,
        );
        return value && { value, from: "test" };
      }
      const value = shownPreview?.edges.find((e) => e.from === edge.after && e.to === edge.to)?.data;
      return value ? { value, from: "sample" } : undefined;
    },
    [testRun, shownPreview, flow],
  );
  const chosen = useCallback(
    (next: Picked) => {
      pick(next);
      if (next) setTab("details");
    },
    [pick],
  );

  const again = useRunFrom(editor, testRun, (id) => {
    setRunId(id);
    setTab("test");
  });
  // A test that was opened again is about the text of its version.
  const { data: testVersion } = useWorkflowVersion(name, testRun?.version);
  const stale = tested !== content.yaml && testVersion?.yaml !== content.yaml;
  const test: Test = { ...again, run: testRun, stale };
  const reasons = useMemo(() => reasonsIn(text), [text]);
  const whyOf = useCallback((step: string) => reasons.get(step) ?? [], [reasons]);

  const run: Studio["run"] = {
    add: (step, slot, layout) => {
      const offer = catalog.find((o) => o.doer === step.doer && o.name === step.name);
      let id = "";
      const title = step.doer === "human" ? "a human step" : doerTitle(step.doer, step.name);
      let yaml = content.yaml;
      try {
        ({ text: yaml, id } = addStep(content.yaml, step, slot ?? here.slot));
        const read = readFlow(yaml).flow;
        if (offer && read) {
          const mapping = mappingFor(offer, read, id, catalog);
          if (needsMapping(offer, mapping))
            for (const [field, path] of Object.entries(mapping)) yaml = setStep(yaml, id, ["with", field], path);
        }
      } catch {
        editor.say("Steps can only be added in the YAML view now");
        return;
      }
      editor.set({ yaml, layout: layout?.(id) ?? content.layout }, `Add ${title}`);
      chosen({ kind: "step", id });
    },
    addGate: (at) => {
      let id = "";
      const { place, of } = spotOf({ id: "", at });
      const question =
        place === "after"
          ? `Is the result of ${format.title(of)} right?`
          : of
            ? `Continue with ${format.title(of)}?`
            : "Start this run?";
      editor.edit(
        (yaml) => {
          const made = addGate(yaml, at, question);
          id = made.id;
          return made.text;
        },
        `Add an approval: ${placeText({ id: "", at })}`,
      );
      if (id) chosen({ kind: "gate", id });
    },
    connect: (from, to) => {
      if (from === to || wouldCircle(flow, from, to)) {
        editor.say("That would be a circle: a step cannot wait for itself");
        return;
      }
      editor.edit((yaml) => connect(yaml, from, to), `Connect ${stepTitle({ id: from })} to ${stepTitle({ id: to })}`);
    },
    disconnect: (from, to) =>
      editor.edit(
        (yaml) => disconnect(yaml, from, to),
        `Disconnect ${stepTitle({ id: from })} from ${stepTitle({ id: to })}`,
      ),
    remove: () => {
      if (!picked || !editor.editable) return;
      keepFocus();
      if (picked.kind === "step")
        editor.edit((yaml) => removeStep(yaml, picked.id), `Remove ${stepTitle({ id: picked.id })}`);
      const gate = picked.kind === "gate" ? flow.gates.find((g) => g.id === picked.id) : undefined;
      if (gate) editor.edit((yaml) => removeGate(yaml, gate.id), `Remove the approval ${gateTitle(gate)}`);
      const edge = picked.kind === "edge" ? edgeOf(picked.id) : undefined;
      if (edge?.to && edge.after) run.disconnect(edge.after, edge.to);
      pick(undefined);
    },
  };

  const studio: Studio = {
    editor,
    catalog,
    roles,
    picked,
    pick: chosen,
    problems,
    problemsOf,
    faultAt,
    statusOf,
    difference,
    preview: shownPreview,
    input,
    test,
    whyOf,
    edgeOf,
    dataOf,
    here,
    openPalette: (slot) => setPalette(slot ?? here.slot),
    focusPanel: () => panel.current?.querySelector<HTMLElement>("input, button, textarea")?.focus(),
    run,
  };

  useShortcuts([
    { keys: "mod+z", label: "Undo", group: "Editor", run: () => editor.undo?.(), enabled: editor.undo !== undefined },
    {
      keys: "mod+shift+z",
      label: "Redo",
      group: "Editor",
      run: () => editor.redo?.(),
      enabled: editor.redo !== undefined,
    },
  ]);

  const show = (next: View) =>
    void navigate({ search: (s) => ({ ...s, view: next === "canvas" ? undefined : next }) }, { replace: true });
  const errors = problems.filter((p) => !p.warning);
  const selected = picked && selectedIn(studio, panels);
  const panelOpen = !phone || selected !== undefined || tab === "test";

  return (
    <Page
      flush
      title={format.title(name)}
      back={<Back />}
      lead={
        <Lead
          editor={editor}
          shown={comparing}
          onShow={
            published === undefined
              ? undefined
              : () => {
                  editor.say(comparing ? "Changes are hidden" : `Changes since version ${published} are shown`);
                  setComparing(!comparing);
                }
          }
          onDiscard={may("admin") && editor.drafted && !unchanged ? () => setDialog("discard") : undefined}
        />
      }
      actions={
        <>
          <IconButton
            label={editor.undo ? `Undo: ${editor.undoes}` : "Undo"}
            disabled={!editor.undo}
            onClick={editor.undo}
          >
            <Undo2 />
          </IconButton>
          <IconButton
            label={editor.redo ? `Redo: ${editor.redoes}` : "Redo"}
            disabled={!editor.redo}
            onClick={editor.redo}
          >
            <Redo2 />
          </IconButton>
          <Views view={view} phone={phone} narrow={narrow} onChange={show} />
          <Button
            aria-pressed={tab === "test"}
            onClick={() => {
              setTab(tab === "test" ? "details" : "test");
              if (tab !== "test") setEntering(true);
            }}
          >
            <FlaskConical aria-hidden /> Test
          </Button>
          <Button onClick={() => setDialog("versions")}>
            <History aria-hidden /> Versions
          </Button>
          {may("admin") && (
            <Button
              look={unchanged ? "outlined" : "filled"}
              title={unchanged ? `Nothing has changed since version ${published}` : undefined}
              disabled={errors.length > 0 || !!editor.error || !hasSteps || !checked.data?.valid}
              onClick={() => setDialog("publish")}
            >
              <Upload aria-hidden /> Publish
            </Button>
          )}
        </>
      }
    >
      <VisuallyHidden>
        <span role="status" aria-live="polite">
          {editor.said}
        </span>
      </VisuallyHidden>
      <Clashes editor={editor} />
      {editor.gone && (
        <Gone
          editor={editor}
          onLeave={() => {
            editor.answerGone(false);
            void navigate({ to: "/workflows" });
          }}
        />
      )}
      {editor.failure !== undefined && (
        <div className="mx-3 mb-3">
          <ErrorNote error={editor.failure} />
        </div>
      )}
      {difference && published !== undefined && (
        <ChangeBar editor={editor} difference={difference} version={published} />
      )}
      <div className="flex min-h-0 flex-1 border-t max-md:flex-col max-md:overflow-y-auto">
        {!narrow && editor.editable && view !== "yaml" && (
          <Palette studio={studio} className="w-56 shrink-0 border-r" />
        )}
        <div
          className={cn(
            "flex min-h-0 min-w-0 flex-1",
            narrow && view !== "outline" && "h-[55dvh] flex-none",
            phone && selected && "hidden",
          )}
        >
          {(view === "canvas" || view === "split") && (
            <Suspense fallback={<Skeleton className="m-4 flex-1" />}>
              <Canvas studio={studio} />
            </Suspense>
          )}
          {view === "outline" && <Outline studio={studio} />}
          {(view === "yaml" || view === "split") && (
            <div className={cn("flex min-h-0 min-w-0 flex-col", view === "split" ? "w-[42%] border-l" : "flex-1")}>
              <Yaml studio={studio} error={editor.error} />
            </div>
          )}
        </div>
        {panelOpen && (
          <aside
            ref={panel}
            tabIndex={-1}
            aria-label={tab === "test" ? "Test" : (selected?.title ?? "Workflow")}
            className="flex w-90 shrink-0 flex-col border-l bg-sunken max-md:w-full max-md:border-t max-md:border-l-0"
          >
            <header className="flex items-center gap-2 border-b px-4 py-2">
              <h2 className="min-w-0 flex-1 truncate font-semibold">
                {tab === "test" ? "Test" : (selected?.title ?? "Workflow")}
              </h2>
              {(selected || tab === "test") && (
                <Button
                  size="small"
                  look="ghost"
                  onClick={() => {
                    keepFocus();
                    if (tab === "test") setTab("details");
                    else pick(undefined);
                  }}
                >
                  {phone ? "Back" : "Close"}
                </Button>
              )}
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto p-4">
              {tab === "test" ? (
                <TestPanel
                  studio={studio}
                  sample={sample}
                  onSample={setSample}
                  runId={runId}
                  onRun={(id) => {
                    setRunId(id);
                    if (id) setTested(content.yaml);
                    else setTestRun(undefined);
                  }}
                  onRunData={setTestRun}
                />
              ) : (
                <>
                  <Problems studio={studio} about={selected ? picked : undefined} />
                  {selected?.body ?? <FlowPanel studio={studio} />}
                </>
              )}
            </div>
          </aside>
        )}
      </div>
      {narrow && !phone && editor.editable && view === "canvas" && (
        <div className="border-t p-2">
          <Button className="w-full" onClick={() => setPalette(here.slot)}>
            <Plus aria-hidden /> Add a step
          </Button>
        </div>
      )}
      <Suspense>
        {palette && <AddDialog studio={studio} slot={palette} onClose={() => setPalette(undefined)} />}
        {dialog === "publish" && <PublishDialog editor={editor} onClose={() => setDialog(undefined)} />}
        {dialog === "discard" && (
          <DiscardDialog
            name={name}
            content={content}
            kept={keptOf(versions.data)}
            discard={editor.discard}
            onDone={() => {
              discarded(name, toSend(content, editor.base));
              void navigate({ to: "/workflows" });
            }}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === "versions" && <VersionsDialog editor={editor} onClose={() => setDialog(undefined)} />}
      </Suspense>
    </Page>
  );
}

/** A value that has not changed for a moment. */
function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** What the panel shows. Another number is another panel. */
function selectedIn(studio: Studio, panel: number): { title: string; body: ReactNode } | undefined {
  const { picked, editor } = studio;
  if (picked?.kind === "step") {
    const step = editor.flow.steps.find((s) => s.id === picked.id);
    return step && { title: stepTitle(step), body: <StepPanel key={panel} step={step} studio={studio} /> };
  }
  if (picked?.kind === "gate") {
    const gate = editor.flow.gates.find((g) => g.id === picked.id);
    return gate && { title: gateTitle(gate), body: <GatePanel key={panel} gate={gate} studio={studio} /> };
  }
  const edge = picked && studio.edgeOf(picked.id);
  if (!edge) return undefined;
  const back = editor.flow.gates.find((g) => gateNode(g.id) === edge.from);
  const from = edge.after ? stepTitle({ id: edge.after }) : back ? gateTitle(back) : "Start";
  return {
    title: `${from}${edge.to ? ` → ${stepTitle({ id: edge.to })}` : ""}`,
    body: <EdgePanel edge={edge} studio={studio} />,
  };
}

function Lead(props: { editor: Editor; shown: boolean; onShow?: () => void; onDiscard?: () => void }) {
  const { editor, shown, onShow, onDiscard } = props;
  const versions = useWorkflowVersions(editor.name);
  const published = versions.data?.find((v) => v.published);
  const newest = versions.data?.[0]?.version ?? 0;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {published ? <Badge tone="ok">Version {published.version} is published</Badge> : <Badge tone="warn">Draft</Badge>}
      <span className={cn("text-control", editor.save === "failed" && "text-bad-text")}>{saveWord[editor.save]}</span>
      {onShow && (
        <Button size="small" look="ghost" aria-pressed={shown} onClick={onShow}>
          <Diff aria-hidden /> {shown ? "Hide changes" : "Show changes"}
        </Button>
      )}
      {onDiscard && (
        <Button size="small" look="ghost" onClick={onDiscard}>
          <Eraser aria-hidden /> Discard draft
        </Button>
      )}
      {editor.mergedFrom && <span className="text-control">Merged with the changes of {editor.mergedFrom}</span>}
      {newest > editor.base && (
        <span className="text-control text-warn-text">
          Version {newest} was saved elsewhere: compare it under Versions.
        </span>
      )}
    </span>
  );
}

/** Another person has discarded the draft that is open here. */
function Gone({ editor, onLeave }: { editor: Editor; onLeave: () => void }) {
  return (
    <section
      role="alert"
      aria-label="Discarded draft"
      className="mx-3 mb-3 flex flex-wrap items-center gap-2 rounded-md border border-warn-fill bg-warn-bg p-3"
    >
      <p className="min-w-0 flex-1 basis-60 text-control">
        <span className="font-medium text-warn-text">
          This draft was discarded by another person or in another window.
        </span>{" "}
        What you see is not saved. Keep it as a new draft, or leave it.
      </p>
      <Button size="small" onClick={onLeave}>
        Leave it
      </Button>
      <Button
        size="small"
        onClick={() => {
          keepFocus();
          editor.answerGone(true);
        }}
      >
        Keep as a new draft
      </Button>
    </section>
  );
}

/** The version that the editor shows without a draft. */
function keptOf(versions: ReturnType<typeof useWorkflowVersions>["data"]) {
  const kept = versions?.find((v) => v.published) ?? versions?.[0];
  return kept && { version: kept.version, published: kept.published };
}

const viewWord: Record<View, string> = { canvas: "Canvas", split: "Canvas and YAML", outline: "Outline", yaml: "YAML" };

function Views(props: { view: View; phone: boolean; narrow: boolean; onChange: (view: View) => void }) {
  const { view, phone, narrow, onChange } = props;
  const all: View[] = phone
    ? ["outline", "yaml"]
    : narrow
      ? ["canvas", "outline", "yaml"]
      : ["canvas", "split", "outline", "yaml"];
  return (
    <div role="group" aria-label="View" className="flex rounded-sm border border-border-strong bg-surface">
      {all.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={view === one}
          onClick={() => onChange(one)}
          className={cn(
            "h-(--tap) px-2.5 text-control first:rounded-l-sm last:rounded-r-sm hover:bg-hover",
            view === one && "bg-accent-bg text-accent-text",
          )}
        >
          {viewWord[one]}
        </button>
      ))}
    </div>
  );
}

function Yaml({ studio, error }: { studio: Studio; error?: { message: string; line: number } }) {
  const { editor, picked, problems } = studio;
  // biome-ignore lint/correctness/useExhaustiveDependencies: typing does not scroll
  const line = useMemo(
    () =>
      picked && picked.kind !== "edge"
        ? linesOf(editor.content.yaml).find((l) => l.kind === picked.kind && l.id === picked.id)?.from
        : undefined,
    [picked],
  );
  const marks = useMemo(() => (error ? [{ ...error, column: 1 }] : problems), [error, problems]);
  const none = () => {};
  return (
    <>
      <CodeEditor
        language="yaml"
        label="The workflow as YAML"
        value={editor.content.yaml}
        readOnly={!editor.editable && !error}
        problems={marks}
        line={line}
        outside={{ undo: editor.undo ?? none, redo: editor.redo ?? none }}
        onChange={(yaml) => editor.set({ yaml }, "Edit the YAML", "yaml")}
        className="max-h-none flex-1 rounded-none border-0 [&_.cm-editor]:min-h-full"
      />
      {error && (
        <p role="alert" className="border-t bg-bad-bg px-3 py-2 text-control text-bad-text">
          Line {error.line}: {error.message}. The other views show the last valid text.
        </p>
      )}
    </>
  );
}

const gateOf = (editor: Editor, id: string): GateDef => editor.flow.gates.find((g) => g.id === id) ?? { id, at: "" };

/** What is wrong: with what is selected, or with everything. */
function Problems({ studio, about }: { studio: Studio; about: Picked }) {
  const { problems, problemsOf, editor, pick } = studio;
  const places = useMemo(() => linesOf(editor.content.yaml), [editor.content.yaml]);
  const shown = about && about.kind !== "edge" ? problemsOf(about.kind, about.id) : problems;
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Problems" className="mb-4 space-y-1">
      {shown.map((problem, i) => {
        const Icon = problem.warning ? TriangleAlert : OctagonAlert;
        const at = subjectOf(problem, editor.flow, places);
        return (
          <li
            key={`${problem.path} ${i}`}
            className={cn(
              "flex items-start gap-2 rounded-sm p-2 text-control",
              problem.warning ? "bg-warn-bg text-warn-text" : "bg-bad-bg text-bad-text",
            )}
          >
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span className="min-w-0 flex-1 break-words">
              {problem.message.charAt(0).toUpperCase() + problem.message.slice(1)}
              {!about && at && "."}
              {!about && at && (
                <button type="button" className="ml-1 underline" onClick={() => pick(at)}>
                  Show {at.kind === "step" ? stepTitle(at) : gateTitle(gateOf(editor, at.id))}
                </button>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
