import { type RefObject, useMemo, useRef, useState } from "react";
import type { Approval } from "../api/types";
import { useNavigate, useSearch } from "../router";
import { toast } from "../ui/Toasts";
import { type Announcer, useAnnounce } from "./announce";
import type { Decisions } from "./decisions";
import { type Chosen, chosenOf, filterOf, searchOf } from "./filter";
import type { ListHandle } from "./List";
import { previewOn } from "./settings";
import { type Cursor, useCursor } from "./useCursor";
import { useDecisions } from "./useDecisions";
import { type InboxRows, useInboxRows } from "./useInboxRows";
import { useMedia } from "./useMedia";
import { type Selection, useSelection } from "./useSelection";
import { useSettling } from "./useSettling";

export type Asking = { what: "reject" | "comment"; approval: Approval } | { what: "batch"; act: "approve" | "reject" };

/** Where somebody was when they left, to come back to after looking at an approval. */
let left: { filter: string; scrollTop: number; id: string; index: number } | undefined;
export const forgetPlace = () => {
  left = undefined;
};

/** Everything the inbox knows and does; its parts draw it. */
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
  selection: Selection;
  decisions: Decisions;
  /** Somebody works: nothing may move. */
  engaged: boolean;
  scrollTop: RefObject<number>;
  onScrolled: (top: number) => void;
  showNew: () => void;
  phone: boolean;
  /** The chosen approval is shown beside the list. */
  wide: boolean;
  preview: boolean;
  showPreview: (on: boolean) => void;
  asking: Asking | undefined;
  ask: (asking: Asking | undefined) => void;
  /** The id of the approval that is changed in the pane. */
  editing: string | undefined;
  setEditing: (id: string | undefined) => void;
  announcer: Announcer;
  remember: (id: string) => void;
  open: (id: string, how?: { edit: true }) => void;
}

export function useInbox(): InboxModel {
  const chosen = chosenOf(useSearch());
  const navigate = useNavigate();
  const filterKey = JSON.stringify(filterOf(chosen));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says it all
  const filter = useMemo(() => filterOf(chosen), [filterKey]);
  const [back] = useState(() => (left?.filter === filterKey ? left : undefined));
  const handle = useRef<ListHandle>(null);
  const box = useRef<HTMLInputElement>(null);
  const scrollTop = useRef(back?.scrollTop ?? 0);
  const [scrolled, setScrolled] = useState(scrollTop.current > 0);
  const [busy, setBusy] = useState(false);
  const [asking, ask] = useState<Asking>();
  const [editing, setEditing] = useState<string>();
  const [preview, showPreview] = useState(previewOn);
  const announcer = useAnnounce();

  const list = useInboxRows(filter, scrolled || busy);
  const { rows } = list;
  const cursor = useCursor(rows, handle, back);
  const selection = useSelection(rows);
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
  return {
    chosen,
    filterKey,
    change: (next) => {
      selection.clear();
      toTop();
      void navigate({ to: "/inbox", search: searchOf(next) }, { replace: true });
    },
    list,
    handle,
    box,
    cursor,
    here: cursor.id === undefined ? undefined : rows?.get(cursor.id),
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
    wide: useMedia("(min-width: 1200px)") && preview,
    preview,
    showPreview,
    asking,
    ask,
    editing: editing === cursor.id ? editing : undefined,
    setEditing,
    announcer,
    remember,
    open,
  };
}

/** What can be done with the row at the cursor, and when it cannot: why. */
export function actsOf({ here, decisions, cursor, selection, wide, open, ask, setEditing, announcer }: InboxModel) {
  const lookFirst = (a: Approval, why: string) => {
    toast({ title: "Open it to decide", detail: why });
    if (!wide) open(a.id);
  };
  const free = () => {
    const phase = here && decisions.get(here.id)?.phase;
    return here?.status === "pending" && phase !== "held" && phase !== "sending" ? here : undefined;
  };
  const together = (act: "approve" | "reject") => {
    const why = selection.whyNot(act);
    if (why) toast({ title: "They cannot be decided together", detail: `${why}.` });
    else ask({ what: "batch", act });
  };
  return {
    approve: () => {
      if (selection.chosen.size > 0) return together("approve");
      const a = free();
      if (!a) return;
      if (a.acts.length === 0) return lookFirst(a, "You may look at this one, but not decide it.");
      if (!a.acts.includes("approve")) return lookFirst(a, "It needs an answer of its own.");
      if (a.risk.level === "critical")
        return lookFirst(a, "Critical risk is confirmed with the whole proposal in view.");
      decisions.decide(a, { act: "approve" });
      cursor.move(1);
    },
    reject: () => {
      if (selection.chosen.size > 0) return together("reject");
      const a = free();
      if (!a) return;
      if (!a.acts.includes("reject")) return lookFirst(a, "You cannot simply reject this one.");
      if (a.risk.level === "critical") return lookFirst(a, "Critical risk is decided with the whole proposal in view.");
      ask({ what: "reject", approval: a });
    },
    edit: () => {
      const a = free();
      if (!a) return;
      if (!a.acts.includes("modify")) return lookFirst(a, "You cannot change this one.");
      if (wide) setEditing(a.id);
      else open(a.id, { edit: true });
    },
    undo: (id?: string) => {
      const taken = decisions.undo(id);
      if (taken) cursor.set(taken.id, true);
      announcer.say(taken ? `Taken back: ${taken.title}` : "Nothing to take back. What was sent stands.");
    },
  };
}
