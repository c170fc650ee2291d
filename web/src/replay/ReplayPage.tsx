import { ArrowLeft, GitFork, Pin } from "lucide-react";
import { memo, useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useApprovals, useRun } from "../api";
import { usePermitted } from "../api/permitted";
import type { Event, Run } from "../api/types";
import { RunGraph, Timeline, useGates } from "../graph";
import { Link, useNavigate, usePageId, useSearch } from "../router";
import { Page, useShortcuts } from "../shell";
import { Button, ErrorNote, FixedClock, SkeletonRows, Tabs } from "../ui";
import { format } from "../words";
import { approvalsAsOf } from "./asOf";
import { ChangesPanel } from "./ChangesPanel";
import { EventList } from "./EventList";
import { ForkDialog } from "./ForkDialog";
import { Moment } from "./Moment";
import { marksOf, nextOf } from "./marks";
import { Scrubber } from "./Scrubber";
import { StatePanel, ThreadPanel } from "./StatePanel";
import { say, stepsOf } from "./say";
import { scaleOf } from "./scale";
import { Transport } from "./Transport";
import { useEvent, useLog, usePlayer, usePosition, useStateAt } from "./useReplay";

/** A run as of any moment. Nothing is executed again: everything comes from the log. */
export function ReplayPage() {
  const id = usePageId();
  const { data: run, error, refetch } = useRun(id);
  if (run && run.seq > 0) return <Replay key={id} run={run} />;
  return (
    <Page title="Replay">
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
        <SkeletonRows />
      )}
    </Page>
  );
}

function Replay({ run }: { run: Run }) {
  const { id, seq: last } = run;
  const search = useSearch();
  const navigate = useNavigate();
  const { at, go: move } = usePosition(last);
  const log = useLog(id, last);
  const event = useEvent(id, at, log.bySeq);
  const { state, error, again, behind } = useStateAt(id, at, last);
  const player = usePlayer(at, last, move, log.bySeq);
  const marks = useMemo(() => marksOf(log.events), [log.events]);
  const scale = useMemo(() => scaleOf(log.events, last, player.skipWaits), [log.events, last, player.skipWaits]);
  const [forking, setForking] = useState(false);
  const mayFork = usePermitted(run)(["fork"]).length > 0;
  const { pause } = player;
  const go = useCallback(
    (seq: number) => {
      pause();
      move(seq);
    },
    [pause, move],
  );
  const set = useCallback(
    (change: Record<string, string | undefined>) =>
      void navigate({ search: (before) => ({ ...before, ...change }) }, { replace: true, still: true }),
    [navigate],
  );
  const onTab = useCallback((tab: string) => set({ tab: tab === "state" ? undefined : tab }), [set]);
  const onUnpin = useCallback(() => set({ a: undefined }), [set]);
  // The panes lag behind if needed, so that the scrubber never waits for them.
  const then = useDeferredValue(at);
  const thenEvent = useDeferredValue(event);
  const pinned = pinOf(search.a, last);
  const pin = () => set({ a: pinned === at ? undefined : String(at), tab: pinned === at ? search.tab : "changes" });

  useShortcuts(
    [
      { keys: "space", label: "Play or pause", run: player.toggle },
      { keys: "arrowright", label: "Next event", run: () => go(at + 1) },
      { keys: "arrowleft", label: "Event before", run: () => go(at - 1) },
      { keys: "shift+arrowright", label: "Next decision", run: () => go(nextOf(marks.decision, at, 1) ?? at) },
      { keys: "shift+arrowleft", label: "Decision before", run: () => go(nextOf(marks.decision, at, -1) ?? at) },
      { keys: "home", label: "First event", run: () => go(1) },
      { keys: "end", label: "Newest event", run: () => go(last) },
      { keys: "p", label: "Pin this position to compare", run: pin },
      ...(mayFork ? [{ keys: "f", label: "Fork from here", run: () => setForking(true) }] : []),
    ].map((shortcut) => ({ ...shortcut, group: "Replay", enabled: !forking })),
  );

  return (
    <Page
      flush
      title={`Replay: ${format.title(run.workflow)}`}
      back={
        <Button asChild look="ghost" size="icon">
          <Link to="/runs/$id" params={{ id }} aria-label="Back to the run" title="Back to the run">
            <ArrowLeft aria-hidden />
          </Link>
        </Button>
      }
      lead={`Event ${format.count(at)} of ${format.count(last)}. Nothing runs again; everything comes from the log.`}
      actions={
        <>
          <Button aria-pressed={pinned === at} onClick={pin}>
            <Pin aria-hidden />
            {pinned === at ? "Unpin" : pinned === undefined ? "Pin to compare" : "Pin here instead"}
          </Button>
          {mayFork && (
            <Button onClick={() => setForking(true)}>
              <GitFork aria-hidden />
              Fork from here
            </Button>
          )}
        </>
      }
    >
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto md:overflow-hidden">
        <div className="shrink-0 space-y-2 border-y bg-surface px-4 py-3 sm:px-6">
          <Moment event={event} before={log.bySeq.get(at - 1)} start={run.started_at} />
          <Scrubber
            at={at}
            last={last}
            marks={marks}
            scale={scale}
            name={(seq) => nameOf(seq, log.bySeq.get(seq), run.started_at)}
            pinned={pinned}
            onGo={go}
            text={event ? say(event) : ""}
          />
          <Transport player={player} at={at} last={last} marks={marks} reading={!log.complete} onGo={go} />
          {log.error && <ErrorNote error={log.error} action={<Again onClick={() => void log.again()} />} />}
        </div>
        {error && !state && (
          <div className="p-4">
            <ErrorNote error={error} action={<Again onClick={() => void again()} />} />
          </div>
        )}
        {state && (
          <Panes
            state={state}
            behind={behind}
            at={then}
            event={thenEvent}
            log={log}
            pinned={pinned}
            tab={search.tab}
            onTab={onTab}
            onUnpin={onUnpin}
            onGo={go}
          />
        )}
        {!state && !error && <SkeletonRows />}
      </div>
      {forking && <ForkDialog id={id} at={at} onClose={() => setForking(false)} />}
    </Page>
  );
}

function Again({ onClick }: { onClick: () => void }) {
  return (
    <Button size="small" onClick={onClick}>
      Try again
    </Button>
  );
}

/** "Event 12, 3 s in": the event under the pointer. */
function nameOf(seq: number, event: Event | undefined, start: string): string {
  const which = `Event ${format.count(seq)}`;
  return event ? `${which}, ${format.duration(Date.parse(event.at) - Date.parse(start))} in` : which;
}

function pinOf(text: string | undefined, last: number): number | undefined {
  const seq = Number.parseInt(text ?? "", 10);
  return seq >= 1 && seq <= last ? seq : undefined;
}

interface PanesProps {
  state: Run;
  /** The state of another position is shown until this one is loaded. */
  behind: boolean;
  at: number;
  event: ReturnType<typeof useEvent>;
  log: ReturnType<typeof useLog>;
  pinned: number | undefined;
  tab: string | undefined;
  onTab: (tab: string) => void;
  onUnpin: () => void;
  onGo: (seq: number) => void;
}

const approvalsMax = 200;

const Panes = memo(function Panes({ state, behind, at, event, log, pinned, tab, onTab, onUnpin, onGo }: PanesProps) {
  const [step, setStep] = useState<string>();
  const [drawing, setDrawing] = useState<"graph" | "timeline">("graph");
  const gates = useGates(state);
  const { data: all } = useApprovals({ run: state.id, limit: approvalsMax });
  const when = event?.at;
  const approvals = useMemo(() => approvalsAsOf(all?.items ?? [], state, when), [all, state, when]);
  const marked = useMemo(() => new Set(event ? stepsOf(event) : []), [event]);
  const past = useMemo(() => (drawing === "timeline" ? log.events.filter((e) => e.seq <= at) : []), [drawing, log, at]);
  useEffect(() => {
    if (step !== undefined && !state.steps.some((s) => s.id === step)) setStep(undefined);
  }, [step, state]);
  return (
    <div
      aria-busy={behind}
      className="grid min-h-0 flex-1 grid-cols-1 max-md:flex-none md:grid-cols-[minmax(0,1fr)_minmax(340px,40%)] md:grid-rows-[minmax(0,1fr)]"
    >
      <div className="flex min-w-0 flex-col border-b md:min-h-0 md:border-r md:border-b-0">
        <div className="flex gap-4 border-b px-4 max-sm:hidden">
          {(["graph", "timeline"] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={drawing === kind}
              onClick={() => setDrawing(kind)}
              className="-mb-px h-10 border-b-2 border-transparent text-control text-muted hover:text-text aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-text"
            >
              {kind === "graph" ? "Steps" : "Timeline"}
            </button>
          ))}
        </div>
        <div className="min-h-0 flex-1 sm:max-md:h-96 sm:max-md:flex-none">
          {drawing === "graph" ? (
            <FixedClock value={when ? Date.parse(when) : undefined}>
              <RunGraph
                run={state}
                gates={gates}
                approvals={approvals}
                selected={step}
                onSelect={setStep}
                marked={marked}
                bounded
              />
            </FixedClock>
          ) : (
            <Timeline
              run={state}
              approvals={approvals}
              events={past}
              selected={step}
              onSelect={setStep}
              now={when ? Date.parse(when) : undefined}
              className="h-full"
            />
          )}
        </div>
      </div>
      <Tabs
        label="What to look at"
        value={tab ?? "state"}
        onValueChange={onTab}
        className="flex min-h-0 min-w-0 flex-col bg-surface [&>[role=tabpanel]]:min-h-0 [&>[role=tabpanel]]:flex-1 [&>[role=tabpanel]]:overflow-y-auto"
        tabs={[
          { value: "state", label: "State", content: <StatePanel state={state} event={event} step={step} /> },
          {
            value: "changes",
            label: pinned === undefined ? "Changes" : `Changes since A (${format.count(pinned)})`,
            content: <ChangesPanel id={state.id} at={at} pinned={pinned} onUnpin={onUnpin} />,
          },
          { value: "events", label: "Events", content: <EventList events={log.events} at={at} onGo={onGo} /> },
          {
            value: "thread",
            label: state.thread.length > 0 ? `Thread (${state.thread.length})` : "Thread",
            content: <ThreadPanel state={state} />,
          },
        ]}
      />
    </div>
  );
});
