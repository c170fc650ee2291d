import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useRef, useState } from "react";
import { useMe, usePendingCount } from "../api";
import type { Approval } from "../api/types";
import { useConnection } from "../live";
import { Page, useCommands, useShortcuts, useTitle } from "../shell";
import { ErrorNote, SkeletonRows, toast } from "../ui";
import { format } from "../words";
import { NewPill, SelectionBar, UndoBar } from "./Bars";
import { alike } from "./batch";
import { AllClear, Hidden, Lost, LostBar } from "./Empty";
import { FilterBar } from "./FilterBar";
import { activeOf, type Chosen, chosenOf, filterOf, searchOf } from "./filter";
import { List, type ListHandle } from "./List";
import type { RowActions } from "./Row";
import { useAnnounce } from "./announce";
import { previewOn, setPreview, setUndo, undoOn } from "./settings";
import { useCursor } from "./useCursor";
import { useDecisions } from "./useDecisions";
import { useInboxRows } from "./useInboxRows";
import { useMedia } from "./useMedia";
import { useSelection } from "./useSelection";
import { useSettling } from "./useSettling";

const Preview = lazy(() => import("./Preview"));
const dialogs = () => import("./dialogs");
const RejectDialog = lazy(() => dialogs().then((m) => ({ default: m.RejectDialog })));
const CommentDialog = lazy(() => dialogs().then((m) => ({ default: m.CommentDialog })));
const BatchDialog = lazy(() => dialogs().then((m) => ({ default: m.BatchDialog })));

type Asking = { what: "reject" | "comment"; approval: Approval } | { what: "batch"; act: "approve" | "reject" };

/** Where somebody was when they left, to come back to after looking at an approval. */
let left: { filter: string; scrollTop: number; id?: string } | undefined;

/** What waits for a decision, and the decisions. */
export function InboxPage() {
  const search = useSearch({ from: "/inbox" });
  const navigate = useNavigate();
  const chosen = useMemo(() => chosenOf(search), [search]);
  const filter = useMemo(() => filterOf(chosen), [chosen]);
  const filterKey = JSON.stringify(filter);
  const [back] = useState(() => (left?.filter === filterKey ? left : undefined));
  const list = useRef<ListHandle>(null);
  const box = useRef<HTMLInputElement>(null);
  const scrollTop = useRef(back?.scrollTop ?? 0);
  const [scrolled, setScrolled] = useState(scrollTop.current > 0);
  const [asking, setAsking] = useState<Asking>();
  const [editing, setEditing] = useState<string>();
  const [preview, showPreview] = useState(previewOn);
  const phone = useMedia("(max-width: 640px)");
  const wide = useMedia("(min-width: 1200px)") && preview;
  const { say, region } = useAnnounce();

  const held = useRef<() => boolean>(() => false);
  const [engagement, setEngagement] = useState(false);
  const inbox = useInboxRows(filter, scrolled || engagement || asking !== undefined || held.current());
  const { rows, arrivals } = inbox;
  const cursor = useCursor(rows, list, back?.id);
  const selection = useSelection(rows);
  const engaged = cursor.index >= 0 || selection.chosen.size > 0;
  if (engaged !== engagement) setEngagement(engaged);
  const open = (id: string, how?: { edit: true }) => {
    left = { filter: filterKey, scrollTop: scrollTop.current, id };
    void navigate({ to: "/approvals/$id", params: { id }, search: how ? { edit: "true" } : {} });
  };
  const decisions = useDecisions(rows, say, open);
  held.current = () => decisions.held.length > 0;
  useSettling(rows, decisions, list, cursor.id, selection.drop);

  const change = (next: Chosen) => {
    selection.clear();
    cursor.clear();
    scrollTop.current = 0;
    list.current?.top();
    void navigate({ to: "/inbox", search: searchOf(next), replace: true });
  };
  const here = cursor.id === undefined ? undefined : rows?.get(cursor.id);

  /** What the keys do with the row at the cursor. */
  const approve = () => {
    if (!here || refuses(here)) return;
    if (here.risk.level === "critical") return lookFirst(here, "Critical risk is confirmed with the whole proposal in view.");
    if (!here.acts.includes("approve")) {
      return lookFirst(here, here.acts.length > 0 ? "This one needs an answer of its own." : "You may look at this one, but not decide it.");
    }
    decisions.decide(here, { act: "approve" });
    cursor.move(1);
  };
  const lookFirst = (a: Approval, why: string) => {
    toast({ title: "Open it to decide", detail: why });
    if (!wide) open(a.id);
  };
  const refuses = (a: Approval) => {
    const phase = decisions.get(a.id)?.phase;
    return a.status !== "pending" || phase === "held" || phase === "sending";
  };
  const reject = () => {
    if (!here || refuses(here)) return;
    if (!here.acts.includes("reject")) return lookFirst(here, "It cannot simply be rejected by you.");
    setAsking({ what: "reject", approval: here });
  };
  const undo = (id?: string) => {
    const taken = decisions.undo(id);
    if (taken) {
      say(`Taken back: ${taken.title}`);
      cursor.set(taken.id, true);
    } else say("Nothing to take back. What was sent stands.");
  };
  const edit = () => {
    if (!here || refuses(here)) return;
    if (!here.acts.includes("modify")) return lookFirst(here, "It cannot be changed by you.");
    if (wide) setEditing(here.id);
    else open(here.id, { edit: true });
  };
  const escape = () => {
    if (editing) setEditing(undefined);
    else if (selection.chosen.size > 0) selection.clear();
    else cursor.clear();
  };
  const group = "Inbox";
  const atRow = here !== undefined;
  useShortcuts([
    { keys: "j", label: "Next", group, run: () => cursor.move(1) },
    { keys: "k", label: "Previous", group, run: () => cursor.move(-1) },
    { keys: "arrowdown", label: "Next", group, enabled: !editing, run: (e) => arrow(e, 1) },
    { keys: "arrowup", label: "Previous", group, enabled: !editing, run: (e) => arrow(e, -1) },
    { keys: "enter", label: "Open", group, enabled: atRow, run: () => here && open(here.id) },
    { keys: "x", label: "Choose, to decide several", group, enabled: atRow, run: () => here && selection.toggle(here.id) },
    { keys: "shift+x", label: "Choose all up to here", group, enabled: atRow, run: () => here && selection.range(here.id) },
    { keys: "a", label: selection.chosen.size > 0 ? "Approve the chosen" : "Approve", group, enabled: !editing && (atRow || selection.chosen.size > 0), run: () => (selection.chosen.size > 0 ? selection.canBatch("approve") && setAsking({ what: "batch", act: "approve" }) : approve()) },
    { keys: "r", label: selection.chosen.size > 0 ? "Reject the chosen" : "Reject, with a reason", group, enabled: !editing && (atRow || selection.chosen.size > 0), run: () => (selection.chosen.size > 0 ? selection.canBatch("reject") && setAsking({ what: "batch", act: "reject" }) : reject()) },
    { keys: "e", label: "Change it first", group, enabled: atRow && !editing, run: edit },
    { keys: "c", label: "Comment", group, enabled: atRow && !editing, run: () => here && setAsking({ what: "comment", approval: here }) },
    { keys: "z", label: "Take back, while it is not sent", group, run: () => undo() },
    { keys: "/", label: "Filter", group, run: () => box.current?.focus() },
    { keys: "escape", label: "Clear the selection", group, run: escape },
  ]);
  const arrow = (event: KeyboardEvent, by: number) => {
    const target = event.target instanceof Element ? event.target : undefined;
    const pane = target?.closest("[data-preview]");
    if (pane) pane.querySelector("[data-scrolls], .overflow-y-auto")?.scrollBy({ top: by * 48 });
    else cursor.move(by);
  };
  useCommands([
    {
      id: "inbox undo",
      label: undoOn() ? "Send decisions from the list at once (no undo)" : "Hold decisions from the list for 5 s (undo)",
      group,
      run: () => setUndo(!undoOn()),
    },
    {
      id: "inbox preview",
      label: preview ? "Hide the pane beside the list" : "Show the pane beside the list",
      group,
      run: () => {
        setPreview(!preview);
        showPreview(!preview);
      },
    },
  ]);

  const actions = useStable<RowActions>({
    visit: (id) => {
      if (wide) cursor.set(id, true);
      else left = { filter: filterKey, scrollTop: scrollTop.current, id };
      return wide;
    },
    select: (id, range) => {
      if (range) selection.range(id);
      else selection.toggle(id);
    },
    undo,
  });

  const newCount = arrivals.length;
  useAnnounceArrivals(newCount, say);
  const waiting = inbox.total ?? rows?.total;
  const atLeast = inbox.atLeast;
  useTitle(waiting ? `(${format.count(waiting)}${atLeast ? "+" : ""}) Inbox` : "Inbox");
  const connection = useConnection();
  const roles = useMemo(() => rolesOf(rows?.loaded() ?? []), [rows]);
  const empty = rows && rows.length === 0;
  return (
    <Page flush title="Inbox" lead={waiting ? `${atLeast ? "At least " : ""}${format.plural(waiting, "decision")} waiting` : undefined}>
      <FilterBar chosen={chosen} onChange={change} roles={roles} total={inbox.total} box={box} />
      {connection.state === "lost" && !empty && <LostBar since={connection.since} />}
      <div className="flex min-h-0 flex-1">
        <div className="relative flex min-h-0 min-w-0 flex-1 flex-col" aria-busy={inbox.stale}>
          {(newCount > 0 || inbox.outdated) && (scrolled || engaged) && (
            <NewPill
              count={newCount}
              atMost={newCount >= 50}
              onShow={() => {
                cursor.clear();
                scrollTop.current = 0;
                list.current?.top();
                inbox.refresh();
              }}
            />
          )}
          {inbox.error && !rows && (
            <div className="p-4 sm:px-6">
              <ErrorNote error={inbox.error} />
            </div>
          )}
          {!rows && !inbox.error && <SkeletonRows rows={8} />}
          {empty && <Nothing chosen={chosen} onClear={() => change({ sort: chosen.sort })} />}
          {rows && !empty && (
            <List
              key={inbox.stale ? "before" : filterKey}
              rows={rows}
              handle={list}
              card={phone}
              cursor={cursor.index}
              focus={cursor.focus}
              selection={selection.chosen}
              doing={(id) => decisions.get(id)}
              on={actions}
              scrollTop={scrollTop.current}
              onScrolled={(top) => {
                scrollTop.current = top;
                setScrolled(top > 8);
              }}
              label={`Waiting for a decision, ${sortLabel(chosen)}`}
            />
          )}
          <UndoBar decisions={decisions} onUndo={() => undo()} />
          <SelectionBar
            selection={selection.chosen}
            similar={selection.similar}
            onSimilar={selection.takeSimilar}
            onOnlySimilar={selection.keepSimilar}
            onClear={selection.clear}
            onDecide={(act) => setAsking({ what: "batch", act })}
          />
        </div>
        {wide && !empty && (
          <aside data-preview aria-label="The chosen approval" className="w-[45%] shrink-0 border-l bg-bg">
            {here ? (
              <Suspense fallback={<SkeletonRows rows={5} />}>
                <Preview row={here} edit={editing === here.id} onNext={() => cursor.move(1)} />
              </Suspense>
            ) : (
              <PickOne />
            )}
          </aside>
        )}
      </div>
      {region}
      <Suspense>
        {asking?.what === "reject" && (
          <RejectDialog
            approval={asking.approval}
            onClose={() => setAsking(undefined)}
            onReject={(comment) => {
              decisions.decide(asking.approval, { act: "reject", comment });
              setAsking(undefined);
              cursor.move(1);
            }}
          />
        )}
        {asking?.what === "comment" && <CommentDialog approval={asking.approval} onClose={() => setAsking(undefined)} />}
        {asking?.what === "batch" && (
          <BatchDialog
            act={asking.act}
            chosen={selection.chosen}
            onDone={(fates) => selection.drop(fates.filter((f) => f.kind === "done").map((f) => f.id))}
            onClose={() => setAsking(undefined)}
          />
        )}
      </Suspense>
    </Page>
  );
}
