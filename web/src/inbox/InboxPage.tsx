import { lazy, Suspense, useMemo } from "react";
import type { Approval } from "../api/types";
import { useStable } from "../lib/useStable";
import { useLostSince } from "../live";
import { Page } from "../shell";
import { ErrorNote } from "../ui/ErrorNote";
import { SkeletonRows } from "../ui/Skeleton";
import { format } from "../words";
import { useAnnounceArrivals } from "./announce";
import { LostBar, NewPill, UndoBar } from "./Bars";
import { FilterBar } from "./FilterBar";
import { activeOf, sorts } from "./filter";
import { List } from "./List";
import type { RowActions } from "./Row";
import { actsOf, type InboxModel, useInbox } from "./useInbox";
import { useKeys } from "./useKeys";

const Preview = lazy(() => import("./Preview"));
const GroupPane = lazy(() => import("./GroupPane"));
const Nothing = lazy(() => import("./Empty"));
const SelectionBar = lazy(() => import("./SelectionBar"));
const dialogs = () => import("./dialogs");
const RejectDialog = lazy(() => dialogs().then((m) => ({ default: m.RejectDialog })));
const CommentDialog = lazy(() => dialogs().then((m) => ({ default: m.CommentDialog })));
const BatchDialog = lazy(() => import("./BatchDialog"));

const newMax = 50;

/** Pending approvals, and the decisions on them. */
export function InboxPage() {
  const inbox = useInbox();
  useKeys(inbox);
  const { list, chosen, announcer, wide } = inbox;
  const lostSince = useLostSince();
  const waiting = list.total ?? list.rows?.total;
  useAnnounceArrivals(list.arrivals.length, announcer.say);
  const { rows } = list;
  const roles = useMemo(() => rolesOf(rows?.loaded() ?? []), [rows]);
  const empty = rows?.length === 0;
  return (
    <Page
      flush
      title="Inbox"
      tab={waiting ? `(${format.count(waiting)}${list.atLeast ? "+" : ""}) Inbox` : "Inbox"}
      lead={<Lead waiting={waiting} atLeast={list.atLeast} filtered={activeOf(chosen).length > 0} />}
    >
      <FilterBar
        chosen={chosen}
        onChange={inbox.change}
        roles={roles}
        total={list.total}
        box={inbox.box}
        groups={rows?.alike ? inbox.groups : undefined}
        onGroups={inbox.showGroups}
      />
      {lostSince !== undefined && !empty && <LostBar since={lostSince} />}
      <div className="flex min-h-0 flex-1">
        <div className="relative flex min-h-0 min-w-0 flex-1 flex-col bg-surface" aria-busy={list.stale}>
          <Body inbox={inbox} />
        </div>
        {wide && !empty && <Pane inbox={inbox} />}
      </div>
      {announcer.region}
      <Dialogs inbox={inbox} />
    </Page>
  );
}

function Lead({ waiting, atLeast, filtered }: { waiting: number | undefined; atLeast: boolean; filtered: boolean }) {
  if (waiting === undefined) return "…";
  const count = `${atLeast ? "At least " : ""}${format.plural(waiting, "decision")}`;
  return filtered ? `${count} for your filter` : waiting === 0 ? "Nothing waiting" : `${count} waiting`;
}

/** The list with the bars above and below it. */
function Body({ inbox }: { inbox: InboxModel }) {
  const { list, cursor, selection, decisions, wide } = inbox;
  const acts = actsOf(inbox);
  const open = (id: string) => (list.rows?.get(id)?.alike ? inbox.unfold(id) : inbox.open(id));
  const actions = useStable<RowActions>({
    visit: (id) => {
      if (wide) cursor.set(id, true);
      else open(id);
    },
    open,
    unfold: inbox.unfold,
    select: (id, range) => (range ? selection.range(id) : selection.toggle(id)),
    undo: acts.undo,
  });
  const { rows } = list;
  if (!rows) {
    if (!list.error) return <SkeletonRows rows={8} className="h-16 max-sm:h-28" />;
    return (
      <div className="p-4 sm:px-6">
        <ErrorNote error={list.error} />
      </div>
    );
  }
  if (rows.length === 0) {
    return (
      <Suspense>
        <Nothing
          filtered={activeOf(inbox.chosen).length > 0}
          onClear={() => inbox.change({ sort: inbox.chosen.sort })}
        />
      </Suspense>
    );
  }
  const count = list.arrivals.length;
  return (
    <>
      {(count > 0 || list.outdated) && inbox.engaged && (
        <NewPill count={count} atMost={count >= newMax} onShow={inbox.showNew} />
      )}
      <List
        key={inbox.filterKey}
        rows={rows}
        handle={inbox.handle}
        card={inbox.phone}
        cursor={cursor.index}
        shown={wide && cursor.index < 0 && inbox.shown ? rows.indexOf(inbox.shown.id) : -1}
        focus={cursor.focus}
        selection={selection.chosen}
        doing={(id) => decisions.get(id)}
        on={actions}
        scrollTop={inbox.scrollTop.current}
        onScrolled={inbox.onScrolled}
        label={`Waiting for a decision. ${sorts[inbox.chosen.sort].label}`}
      />
      {rows.error && (
        <div className="border-t p-3">
          <ErrorNote error={rows.error} />
        </div>
      )}
      <UndoBar decisions={decisions} onUndo={() => acts.undo()} />
      {selection.chosen.size > 0 && (
        <Suspense>
          <SelectionBar
            selection={selection.chosen}
            similar={selection.similar}
            more={rows.folds || rows.loaded().length < rows.length}
            taking={selection.taking}
            onSimilar={selection.takeSimilar}
            onOnlySimilar={selection.keepSimilar}
            onClear={selection.clear}
            onDecide={(act) => inbox.ask({ what: "batch", act })}
          />
        </Suspense>
      )}
    </>
  );
}

/** The approval at the cursor, else the most urgent one, beside the list. */
function Pane({ inbox }: { inbox: InboxModel }) {
  const { shown, editing, inPane, cursor, remember, setLooked } = inbox;
  return (
    <aside data-preview aria-label="The approval at the cursor" className="w-[45%] shrink-0 border-l bg-bg">
      {shown?.alike && (
        <Suspense fallback={<SkeletonRows rows={5} />}>
          <GroupPane
            row={shown}
            sort={inbox.chosen.sort}
            onReview={() => inbox.unfold(shown.id)}
            onDecide={(act) => void actsOf(inbox).all(shown, act)}
          />
        </Suspense>
      )}
      {shown && !shown.alike && (
        <Suspense fallback={<SkeletonRows rows={5} />}>
          <Preview
            row={shown}
            edit={editing === shown.id}
            keys={inPane}
            onNext={() => cursor.move(1)}
            onLooked={(version) => setLooked(version === undefined ? undefined : `${shown.id} ${version}`)}
            onOpen={() => remember(shown.id)}
          />
        </Suspense>
      )}
    </aside>
  );
}

function Dialogs({ inbox: { asking, ask, decisions, cursor, selection, list } }: { inbox: InboxModel }) {
  const close = () => ask(undefined);
  return (
    <Suspense>
      {asking?.what === "reject" && (
        <RejectDialog
          approval={asking.approval}
          onClose={close}
          onReject={(comment) => {
            decisions.decide(asking.approval, { act: "reject", comment });
            close();
            cursor.move(1);
          }}
        />
      )}
      {asking?.what === "comment" && <CommentDialog approval={asking.approval} onClose={close} />}
      {asking?.what === "batch" && (
        <BatchDialog
          act={asking.act}
          chosen={selection.chosen}
          left={selection.left}
          onDone={(fates) => {
            selection.drop(fates.map((f) => f.id));
            // The remaining ones get a new group row; by now the stream may have settled every one of them, row by row.
            if (list.rows?.alike) list.refresh();
          }}
          onClose={close}
        />
      )}
    </Suspense>
  );
}

function rolesOf(loaded: Approval[]): string[] {
  return [...new Set(loaded.flatMap((a) => [a.role, ...Object.keys(a.quorum.by_role ?? {})]).filter((r) => r !== ""))];
}
