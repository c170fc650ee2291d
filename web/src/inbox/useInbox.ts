import { type RefObject, useMemo, useRef, useState } from "react";
import { useMe } from "../api/documents";
import type { Approval, ApprovalFilter } from "../api/types";
import { loadDraft } from "../decide/draft";
import { isStandIn } from "../json/raw";
import type { Decisions } from "../lib/decisions";
import { useMedia } from "../lib/useMedia";
import { useNavigate, useSearch } from "../router";
import { toast } from "../ui/Toasts";
import { format } from "../words";
import { type Announcer, useAnnounce } from "./announce";
import { type Chosen, chosenOf, filterOf, searchOf } from "./filter";
import { titleText } from "./gist";
import type { ListHandle } from "./List";
import type { Rows } from "./rows";
import { settledText } from "./say";
import { groupsOn, previewOn, setGroups } from "./settings";
import { type Cursor, useCursor } from "./useCursor";
import { useDecisions } from "./useDecisions";
import { type InboxRows, useInboxRows } from "./useInboxRows";
import { type Selection, useSelection } from "./useSelection";
import { useSettling } from "./useSettling";

export type Asking = { what: "reject" | "comment"; approval: Approval } | { what: "batch"; act: "approve" | "reject" };

/** Where the user was on leaving, to return to after viewing an approval. */
let left: { filter: string; scrollTop: number; id: string; index: number } | undefined;
export const forgetPlace = () => {
  left = undefined;
};

/** The state and actions of the inbox; its parts draw it. */
export interface InboxModel {
  chosen: Chosen;
  filterKey: string;
  change: (chosen: Chosen) => void;
  list: InboxRows;
  handle: RefObject<ListHandle | null>;
  box: RefObject<HTMLInputElement | null>;
  cursor: Cursor;
  /** The approval at the cursor. */
  here: Approval | undefined;
  /** The approval in the pane: the one at the cursor, else the first. */
  shown: Approval | undefined;
  selection: Selection;
  decisions: Decisions;
  /** The user is working: nothing may move. */
  engaged: boolean;
  scrollTop: RefObject<number>;
  onScrolled: (top: number) => void;
  showNew: () => void;
  phone: boolean;
  /** The selected approval is shown beside the list. */
  wide: boolean;
  preview: boolean;
  showPreview: (on: boolean) => void;
  asking: Asking | undefined;
  ask: (asking: Asking | undefined) => void;
  /** The id of the approval being edited in the pane. */
  editing: string | undefined;
  setEditing: (id: string | undefined) => void;
  /** The pane shows something that has to be seen or edited before deciding: then the decision keys belong to it. */
  inPane: boolean;
  /** The pane shows everything under decision at the cursor. */
  looked: boolean;
  setLooked: (what: string | undefined) => void;
  announcer: Announcer;
  remember: (id: string) => void;
  open: (id: string, how?: { edit: true }) => void;
  /** Whether similar approvals of a run are one row. */
  groups: boolean;
  showGroups: (on: boolean) => void;
  /** Shows all members of a group in its place; on a member, folds them into one row again. */
  unfold: (id: string) => void;
}

export function useInbox(): InboxModel {
  const chosen = chosenOf(useSearch());
  const navigate = useNavigate();
  const filterKey = JSON.stringify(filterOf(chosen));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key covers it
  const filter = useMemo(() => filterOf(chosen), [filterKey]);
  const [back] = useState(() => (left?.filter === filterKey ? left : undefined));
  const handle = useRef<ListHandle>(null);
  const box = useRef<HTMLInputElement>(null);
  const scrollTop = useRef(back?.scrollTop ?? 0);
  const [scrolled, setScrolled] = useState(scrollTop.current > 0);
  const [busy, setBusy] = useState(false);
  const [asking, ask] = useState<Asking>();
  const [editing, setEditing] = useState<string>();
  const [looked, setLooked] = useState<string>(); // the approval and version that the pane shows in full
  const [preview, showPreview] = useState(previewOn);
  const announcer = useAnnounce();

  const [groups, showGroups] = useState(groupsOn);
  const list = useInboxRows(filter, groups, scrolled || busy);
  const { rows } = list;
  const cursor = useCursor(rows, handle, back);
  const me = useMe().data?.name;
  const selection = useSelection(rows, filter, (settled) => {
    const others = settled.filter((a) => a.outcome?.by !== me);
    if (others.length > 0 && asking?.what !== "batch") tell(noLongerSelected(others, me));
  });
  const remember = (id: string) => {
    left = { filter: filterKey, scrollTop: scrollTop.current, id, index: rows?.indexOf(id) ?? 0 };
  };
  const open = (id: string, how?: { edit: true }) => {
    remember(id);
    void navigate({ to: "/approvals/$id", params: { id }, search: how ? { edit: "true" } : {} });
  };
  const decisions = useDecisions(rows, announcer.say, open);
  useSettling(rows, decisions, handle, cursor.id, selection.drop);
  const working = cursor.index >= 0 || selection.chosen.size > 0 || asking !== undefined || decisions.held.length > 0;
  if (working !== busy) setBusy(working);

  const toTop = () => {
    cursor.clear();
    scrollTop.current = 0;
    handle.current?.top();
  };
  // Another filter or order, set here or by going back: another list, which starts at the top.
  const [listed, setListed] = useState(filterKey);
  if (listed !== filterKey) {
    setListed(filterKey);
    selection.clear();
    cursor.clear();
    setScrolled(false);
    scrollTop.current = 0;
  }
  const here = cursor.id === undefined ? undefined : rows?.get(cursor.id);
  // Without a cursor the pane shows the most urgent one, and keeps showing it when others are inserted before it.
  const [pinned, setPinned] = useState(() => rows?.at(0)?.id);
  const first = (pinned === undefined ? undefined : rows?.get(pinned)) ?? rows?.at(0);
  if (first?.id !== pinned) setPinned(first?.id);
  const shown = here ?? first;
  const wide = useMedia("(min-width: 1200px)") && preview;
  return {
    chosen,
    filterKey,
    change: (next) => void navigate({ to: "/inbox", search: searchOf(next) }),
    list,
    handle,
    box,
    cursor,
    here,
    shown,
    selection,
    decisions,
    engaged: scrolled || working,
    scrollTop,
    onScrolled: (top) => {
      scrollTop.current = top;
      setScrolled(top > 8);
    },
    showNew: () => {
      toTop();
      list.refresh();
    },
    phone: useMedia("(max-width: 640px)"),
    wide,
    preview,
    showPreview,
    asking,
    ask,
    editing: editing === cursor.id ? editing : undefined,
    setEditing,
    inPane:
      wide &&
      here !== undefined &&
      !here.alike &&
      selection.chosen.size === 0 &&
      (editing === here.id || needsLook(here)),
    looked: wide && here !== undefined && looked === `${here.id} ${here.version}`,
    setLooked,
    announcer,
    remember,
    open,
    groups,
    showGroups: (on) => {
      setGroups(on);
      showGroups(on);
    },
    unfold: (id) => void (rows && unfold(rows, id, filter).catch(failed)),
  };
}

async function unfold(rows: Rows, id: string, filter: ApprovalFilter): Promise<void> {
  const row = rows.get(id);
  const group = rows.groupOf(id);
  if (row?.alike) rows.unfold(row, await (await import("./members")).membersOf(row, filter));
  else if (group) rows.fold(group);
}

const failed = (error: Error) => tell({ title: "Not opened", detail: error.message, tone: "bad" });

/** Decided only in the pane: critical ones, large ones, and those that need more than a yes or no, or a role. */
const needsLook = (a: Approval) =>
  a.risk.level === "critical" || isStandIn(a.proposed) || !a.acts.includes("approve") || a.vote_as !== undefined;

let told: (() => void) | undefined;
/** Explains in a toast why a key had no effect. Only the latest is kept, so that repeats don't pile up. */
function tell(notice: Parameters<typeof toast>[0]): void {
  told?.();
  told = toast(notice);
}

function noLongerSelected(settled: Approval[], me: string | undefined) {
  const [first] = settled;
  const more = settled.length > 1 ? ` And ${format.count(settled.length - 1)} more.` : "";
  return {
    title: `${format.plural(settled.length, "is", "are")} no longer selected`,
    detail: first && `${settledText(first, me)}: “${titleText(first)}”.${more}`,
  };
}

/** The actions on the row at the cursor, or the reason why they are unavailable. */
export function actsOf(inbox: InboxModel) {
  const { here, decisions, cursor, selection, wide, open, ask, setEditing, announcer } = inbox;
  /** Without a pane, the approval's page shows what has to be seen. */
  const lookFirst = (a: Approval, why: string) => {
    tell({ title: why });
    if (!wide) open(a.id);
  };
  const free = () => {
    const phase = here && decisions.get(here.id)?.phase;
    return here?.status === "pending" && phase !== "held" && phase !== "sending" ? here : undefined;
  };
  const together = async (act: "approve" | "reject", chosen = [...selection.chosen.values()]) => {
    const { whyNotAct, whyNotTogether } = await import("./batch");
    const why = whyNotTogether(chosen) || whyNotAct(chosen, act);
    if (why) tell({ title: "They cannot be decided together", detail: `${why}.` });
    else ask({ what: "batch", act });
  };
  /** Decides all members of a group, in the dialog that lists them. */
  const all = async (a: Approval, act: "approve" | "reject") => {
    const members = await selection.take(a);
    if (members) await together(act, members);
  };
  const change = (a: Approval) => (wide ? setEditing(a.id) : open(a.id, { edit: true }));
  return {
    all,
    approve: () => {
      if (selection.chosen.size > 0) return void together("approve");
      const a = free();
      if (!a) return;
      if (a.alike) return void all(a, "approve");
      if (a.acts.length === 0) return lookFirst(a, "You may look at this one, but not decide it");
      if (!a.acts.includes("approve")) {
        const other = a.acts.includes("choose") || a.acts.includes("submit");
        return lookFirst(a, other ? "It needs an answer of its own" : "You cannot approve this one");
      }
      if (a.risk.level === "critical")
        return lookFirst(a, "Critical risk is confirmed with the whole proposal in view");
      if (isStandIn(a.proposed)) return lookFirst(a, "It is too large for the list. Look at all of it first");
      if (a.acts.includes("modify") && loadDraft(a.id)?.edited) {
        tell({ title: "You have begun to change this one", detail: "Send it with your changes, or discard them." });
        return change(a);
      }
      // A row shows only part of it.
      if (!wide) return open(a.id);
      if (!inbox.looked) return tell({ title: "Not all of it is shown yet", detail: "The pane says what is missing." });
      decisions.decide(a, { act: "approve" });
      cursor.move(1);
    },
    reject: () => {
      if (selection.chosen.size > 0) return void together("reject");
      const a = free();
      if (!a) return;
      if (a.alike) return void all(a, "reject");
      if (!a.acts.includes("reject")) return lookFirst(a, "You cannot simply reject this one");
      if (a.risk.level === "critical") return lookFirst(a, "Critical risk is decided with the whole proposal in view");
      ask({ what: "reject", approval: a });
    },
    edit: () => {
      const a = free();
      if (!a) return;
      if (a.alike) return inbox.unfold(a.id);
      if (!a.acts.includes("modify")) return lookFirst(a, "You cannot change this one");
      change(a);
    },
    undo: (id?: string) => {
      const taken = decisions.undo(id);
      if (taken) cursor.set(taken.id, true);
      announcer.say(
        taken ? `Undone: ${titleText(taken)}` : "Nothing to undo. A decision that was sent cannot be undone.",
      );
    },
  };
}
