import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePreview, useWholeApproval } from "../api/approvals";
import { ApiError } from "../api/error";
import type { Act, Approval, Change, Decision } from "../api/types";
import { CannotPatch, compact, mergePatch, type Raw, type Tree, textOf, treeOf } from "../json";
import type { Doing } from "../lib/decisions";
import { useDecisions } from "../lib/useDecisions";
import { toast } from "../ui/Toasts";
import { approvalStatus } from "../words";
import { type Blob, blobOf } from "./blob";
import { check, type Faults, faultsOf } from "./check";
import { diffOf } from "./diff";
import { type Draft, loadDraft, saveDraft } from "./draft";
import { applyPatch, badNumbers, literal } from "./edit";
import { prefilled, type Schema, schemaOf } from "./schema";
import { type Exhibits, useExhibits } from "./useExhibits";
import { useSettled } from "./useSettled";
import { quorumText, recipient } from "./words";

/** What is being asked in a dialog; "confirm" is the typed word before something critical. */
export type Asking = "reject" | "request_revision" | "escalate" | "delegate" | "confirm";

/** One person deciding one approval: what they see, have written, and are sending. */
export interface Desk {
  approval: Approval;
  /** What is proposed, whole if it was loaded. */
  proposed: Raw | null;
  /** Set while the proposal is only a stand-in for a value over 64 KiB. */
  blob: Blob | undefined;
  whole: {
    load: () => void;
    loading: boolean;
    error: Error | null;
    show: Raw | null;
    original: Raw | null | undefined;
  };
  /** It is shown as JSON alone, row by row; Approve waits until that is drawn. */
  large: boolean;
  /** The whole of what is proposed now is drawn. */
  onDrawn: () => void;
  /** What the run made, decided on together with the proposal. */
  exhibits: Exhibits;
  /** All that is decided on has been loaded and drawn. */
  seen: boolean;
  pending: boolean;
  /** It was settled while this person was changing it or filling it in. */
  late: boolean;
  /** A form is filled in rather than a proposal changed. */
  submits: boolean;
  /** Nothing is proposed: no arguments, no input. */
  empty: boolean;
  /** What the server offers, and what makes sense: where there is nothing to change, changing is not offered. */
  can: (act: Act) => boolean;
  /** The schema of what is edited or submitted. */
  schema: Schema;
  editing: boolean;
  startEditing: () => void;
  /** Leaves the form; the draft stays unless drop is true. */
  stopEditing: (drop?: boolean) => void;
  /** The proposal with the person's changes, or the data of the form. */
  edited: Tree;
  edit: (tree: Tree) => void;
  /** Text in a form that is no value yet: it blocks sending, so that nothing else than what is shown goes out. */
  broken: (pointer: string, message: string | undefined) => void;
  changes: Change[];
  /** What is wrong with the edit, by JSON pointer. */
  faults: Faults;
  checking: boolean;
  option: string | undefined;
  choose: (option: string) => void;
  note: string;
  setNote: (note: string) => void;
  dropDraft: () => void;
  /** The draft was begun on another proposal than the one shown now. */
  stale: { before: Tree; mine: Change[] } | undefined;
  rebase: () => void;
  /** The proposal changed while somebody looked: what, until they say that they have seen it. */
  moved: Change[] | undefined;
  acknowledge: () => void;
  /** The act of the main button, and whether it can be pressed now. */
  main: Act | undefined;
  ready: boolean;
  decideMain: () => void;
  asking: Asking | undefined;
  ask: (what: Asking | undefined) => void;
  send: (decision: Omit<Decision, "version">) => void;
  sending: boolean;
  /** A decision that can be taken back: it was made and is not sent yet. */
  held: Extract<Doing, { phase: "held" }> | undefined;
  undo: () => void;
  error: Error | null;
  /** Sends the very same attempt again, under the same key. */
  again: (() => void) | undefined;
  /** What this person did here just now. */
  done: { act: Act; version: number } | undefined;
}

const none: Faults = new Map();
const nothing = literal(null);

/** Longer proposals are shown as JSON alone, all of it, without a pause. */
const largeMax = 200_000;
/** Longer ones are not changed in a page. */
const editMax = 1_000_000;

interface Options {
  onDecided?: (after: Approval, act: Act) => void;
}

export function useDesk(approval: Approval, { onDecided }: Options = {}): Desk {
  const { id } = approval;
  const [draft, setDraft] = useState<Draft | undefined>(() => loadDraft(id));
  const [editing, setEditing] = useState(draft?.edited !== undefined && approval.status === "pending");
  const [asking, setAsking] = useState<Asking>();
  const [wanted, setWanted] = useState(draft?.edited !== undefined);
  const [done, setDone] = useState<Desk["done"]>();
  const [seen, setSeen] = useState(approval);
  const [broken, setBroken] = useState<Faults>(none);
  const [drawn, setDrawn] = useState<string>();
  const exhibits = useExhibits(approval);
  useEffect(() => saveDraft(id, draft), [id, draft]);

  const isBlob = blobOf(approval.proposed) !== undefined;
  const wholeQuery = useWholeApproval(
    id,
    approval.version,
    (wanted && (isBlob || blobOf(approval.show) !== undefined)) || (!isBlob && blobOf(approval.original) !== undefined),
  );
  const proposed = isBlob && wholeQuery.data ? wholeQuery.data.proposed : approval.proposed;
  const blob = isBlob && !wholeQuery.data ? blobOf(approval.proposed) : undefined;
  const text = textOf(proposed);
  const large = text.length > largeMax;

  const pending = approval.status === "pending";
  // What somebody is filling in stays there, also when it is settled under their hands.
  const asked = useRef(false);
  asked.current ||= approval.acts.includes("submit");
  const late = !pending && done === undefined && (editing || (asked.current && draft?.edited !== undefined));
  const submits = approval.acts.includes("submit") || (late && asked.current);
  const schema = useMemo(
    () => schemaOf(submits ? approval.input_schema : (approval.action.args_schema ?? approval.input_schema)),
    [submits, approval.input_schema, approval.action.args_schema],
  );
  const empty = /^\s*(null|\{\s*\})?\s*$/.test(text);
  const fixed =
    (empty && Object.keys(schema.properties ?? {}).length === 0) || Math.max(text.length, blob?.size ?? 0) > editMax;
  const can = (act: Act) => pending && approval.acts.includes(act) && !(act === "modify" && fixed);
  // Reading megabytes takes time: only to change them.
  const reads = !large || submits || editing;
  const base = useMemo(() => {
    if (!reads) return nothing;
    return submits ? prefilled(treeOf(text), schema) : treeOf(text);
  }, [reads, submits, text, schema]);

  // An answer that leaves the proposal alone (a vote, a hand-over) is followed at once; a changed one has to be seen.
  const unchanged = textOf(seen.proposed) === textOf(approval.proposed);
  if (seen !== approval && (unchanged || !pending)) setSeen(approval);
  const moved = useMemo(
    () => (unchanged ? undefined : diffOf(treeOf(seen.proposed), treeOf(approval.proposed))),
    [unchanged, seen.proposed, approval.proposed],
  );

  const stale = useMemo(() => {
    if (submits || blob || !draft?.edited || draft.base === text) return undefined;
    const before = treeOf(draft.base);
    return { before, mine: diffOf(before, draft.edited) };
  }, [submits, blob, draft, text]);
  const edited = stale || blob || !reads ? base : (draft?.edited ?? base);
  const edit = useEdit(id, { base, edited, schema, submits, active: editing && !stale });

  const update = (part: Partial<Draft>) =>
    setDraft((now) => ({ ...(now ?? { version: approval.version, base: text }), ...part }));

  const decisions = useDecisions({
    latest: () => approval,
    tell: (doing) => {
      if (doing.phase === "done") decided(doing.decision, doing.after);
      // Why it did not go through is shown in the bar; what was held had no answer.
      else if (!doing.error) toast(notSent);
    },
  });
  const doing = decisions.get(id);
  const held = doing?.phase === "held" ? doing : undefined;
  const failed = doing?.error ?? null;
  const sending = decisions.busy(approval);
  const send = (given: Omit<Decision, "version">) => {
    decisions.decide(seen, { ...given, comment: given.comment?.trim() || undefined });
    if (decisions.get(id)?.phase === "held") setAsking(undefined);
  };
  const decided = (decision: Decision, after: Approval) => {
    saveDraft(id, undefined);
    setDraft(undefined);
    setSeen(after);
    setEditing(false);
    setAsking(undefined);
    setDone({ act: decision.act, version: after.version });
    toast(told(after, decision));
    onDecided?.(after, decision.act);
  };
  const retract = () => decisions.forget(id);
  // A new file under a decision that was not sent yet: the answer was for what was on the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks when the files are others
  useEffect(() => {
    if (decisions.undo(id)) toast(notSent);
  }, [exhibits.face]);

  const main = mainAct(can, editing, edit.changes.length > 0 || broken.size > 0);
  const shown = exhibits.seen && (!large || submits || editing || drawn === text);
  const ready =
    main !== undefined &&
    !sending &&
    !blob &&
    shown &&
    !stale &&
    moved === undefined &&
    (main !== "choose" || draft?.option !== undefined) &&
    (main !== "modify" || edit.changes.length > 0) &&
    ((main !== "modify" && main !== "submit") || (edit.faults.size === 0 && broken.size === 0));
  const decision = (): Omit<Decision, "version"> => ({
    act: main ?? "approve",
    comment: draft?.note,
    ...(main === "choose" ? { option: draft?.option } : {}),
    ...(main === "submit" ? { data: { $json: compact(edited) } } : {}),
    ...(main === "modify" ? { changes: edit.patch } : {}),
  });

  return {
    approval,
    proposed,
    blob,
    whole: {
      load: () => setWanted(true),
      loading: wholeQuery.isFetching,
      error: wholeQuery.error,
      show: wholeQuery.data?.show ?? approval.show,
      original: wholeQuery.data?.original ?? (blobOf(approval.original) ? undefined : approval.original),
    },
    large,
    onDrawn: useCallback(() => setDrawn(text), [text]),
    exhibits,
    seen: shown,
    pending,
    late,
    submits,
    empty,
    can,
    schema,
    editing: editing && (pending || late),
    startEditing: () => {
      if (!can("modify")) return;
      setWanted(true);
      setEditing(true);
    },
    stopEditing: (drop) => {
      setEditing(false);
      setBroken(none);
      if (drop) update({ edited: undefined });
    },
    edited,
    edit: (tree) => {
      if (failed) retract();
      update({ edited: tree, base: text, version: approval.version });
    },
    changes: edit.changes,
    broken: (pointer, message) =>
      setBroken((now) => {
        if (now.get(pointer) === message) return now;
        const next = new Map(now);
        if (message === undefined) next.delete(pointer);
        else next.set(pointer, message);
        return next;
      }),
    faults: new Map([
      ...(failed instanceof ApiError && failed.code === "invalid" ? faultsOf(failed.errors) : edit.faults),
      ...broken,
    ]),
    checking: edit.checking,
    option: draft?.option,
    choose: (option) => update({ option }),
    note: draft?.note ?? "",
    setNote: (note) => update({ note }),
    dropDraft: () => {
      setEditing(false);
      setBroken(none);
      setDraft(undefined);
    },
    stale,
    rebase: () => {
      if (!draft?.edited) return;
      const patch = mergePatch({ $json: draft.base }, { $json: compact(draft.edited) });
      setSeen(approval);
      update({ base: text, version: approval.version, edited: patch ? applyPatch(base, treeOf(patch)) : undefined });
    },
    moved,
    acknowledge: () => setSeen(approval),
    main,
    ready,
    decideMain: () => {
      if (!ready) return;
      if (approval.risk.level === "critical") setAsking("confirm");
      else send(decision());
    },
    asking,
    ask: (what) => {
      if (failed) retract();
      setAsking(what);
    },
    send: (given) => send(given.act === main ? { ...decision(), ...given } : given),
    sending,
    held,
    undo: () => void decisions.undo(id),
    error: failed,
    again: doing && failed instanceof ApiError && failed.passing ? () => decisions.again(doing) : undefined,
    done,
  };
}

function mainAct(can: (act: Act) => boolean, editing: boolean, changed: boolean): Act | undefined {
  const answer = (["choose", "submit", "approve"] as const).find(can);
  // Who has voted already may still change it; then that is all that is left to send.
  return editing && can("modify") && (changed || !answer) ? "modify" : answer;
}

/** The changes of a draft and what is wrong with them: at once by the schema, a moment later by the server. */
function useEdit(
  id: string,
  {
    base,
    edited,
    schema,
    submits,
    active,
  }: { base: Tree; edited: Tree; schema: Schema; submits: boolean; active: boolean },
) {
  const local = useMemo(() => {
    const faults = new Map(active || submits ? check(edited, schema) : []);
    for (const pointer of badNumbers(edited)) if (!faults.has(pointer)) faults.set(pointer, "This is not a number.");
    const changes = edited === base ? [] : diffOf(base, edited);
    let patch: Raw | undefined;
    if (!submits && changes.length > 0 && badNumbers(edited).length === 0) {
      try {
        patch = mergePatch({ $json: compact(base) }, { $json: compact(edited) });
      } catch (error) {
        if (!(error instanceof CannotPatch)) throw error;
        faults.set(error.path, "This cannot be set to null; leave it out instead.");
      }
    }
    return { faults, changes, patch };
  }, [base, edited, schema, submits, active]);

  const settled = useSettled(local.patch?.$json, 300);
  const asked = active && settled !== undefined ? { $json: settled } : undefined;
  const preview = usePreview(id, asked);
  const current = settled === local.patch?.$json && !preview.isPlaceholderData;
  const faults =
    local.faults.size === 0 && current && asked && preview.data && !preview.data.valid
      ? faultsOf(preview.data.errors)
      : local.faults;
  return { ...local, faults, checking: asked !== undefined && (!current || preview.isFetching) };
}

/** Said when what was decided changed before it was sent. */
const notSent = {
  title: "Not sent",
  detail: "It changed in the meantime. Review it and decide again.",
  tone: "bad",
} as const;

/** The passing notice after a decision. */
function told(after: Approval, { act, to }: Decision) {
  if (after.status !== "pending") {
    return { title: approvalStatus[after.status].label, detail: after.title, tone: "ok" as const };
  }
  if (act === "delegate" || act === "escalate") {
    const whom = to || after.decisions.findLast((d) => d.act === act)?.to;
    const done = act === "delegate" ? "Handed" : "Escalated";
    return { title: whom ? `${done} to ${recipient(whom)}` : done, detail: after.title, tone: "ok" as const };
  }
  return { title: "Your approval counts", detail: `${after.title} · ${quorumText(after)}`, tone: "ok" as const };
}
