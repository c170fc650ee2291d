import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { usePreview, useWholeApproval } from "../api/approvals";
import { ApiError } from "../api/error";
import type { Act, Approval, Change, Decision, PlanChange } from "../api/types";
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
import { planSchema } from "./plan/planShown";
import { prefilled, type Schema, schemaOf } from "./schema";
import { type Exhibits, useExhibits } from "./useExhibits";
import { useSettled } from "./useSettled";
import { quorumText, recipient } from "./words";

/** The question asked in a dialog; "confirm" is the word to type before a critical action. */
export type Asking = "reject" | "request_revision" | "escalate" | "delegate" | "confirm";

/** One user deciding one approval: the view, the draft, and the answer being sent. */
export interface Desk {
  approval: Approval;
  /** The proposal, in full once loaded. */
  proposed: Raw | null;
  /** Set while the proposal is only a placeholder for a value over 64 KiB. */
  blob: Blob | undefined;
  whole: {
    load: () => void;
    loading: boolean;
    error: Error | null;
    show: Raw | null;
    original: Raw | null | undefined;
  };
  /** Shown only as JSON, row by row; Approve waits until it is drawn. */
  large: boolean;
  /** Called when the current proposal is drawn in full. */
  onDrawn: () => void;
  /** Deliverables of the run, decided together with the proposal. */
  exhibits: Exhibits;
  /** Everything under decision has been loaded and drawn. */
  seen: boolean;
  pending: boolean;
  /** Settled while this user was editing or filling it in. */
  late: boolean;
  /** The user fills in a form instead of editing a proposal. */
  submits: boolean;
  /** Nothing is proposed: no arguments, no input. */
  empty: boolean;
  /** Actions that the server offers and that make sense: without a proposal, editing is not offered. */
  can: (act: Act) => boolean;
  /** The schema of the edited or submitted value. */
  schema: Schema;
  editing: boolean;
  startEditing: () => void;
  /** Closes the form; the draft stays unless drop is true. */
  stopEditing: (drop?: boolean) => void;
  /** The proposal with the user's changes, or the data of the form. */
  edited: Tree;
  edit: (tree: Tree) => void;
  /** Text in a form that is not a valid value yet. It blocks sending, so that only the values shown are sent. */
  broken: (pointer: string, message: string | undefined) => void;
  changes: Change[];
  /** Errors in the edit, by JSON pointer. */
  faults: Faults;
  checking: boolean;
  /** At a decision point: the effect of the changed plan, as far as the server has computed it. */
  effect: PlanChange | undefined;
  option: string | undefined;
  choose: (option: string) => void;
  /** Where votes are counted by role: the role that the vote is cast as, if the user holds several that are open. */
  role: string | undefined;
  setRole: (role: string) => void;
  note: string;
  setNote: (note: string) => void;
  dropDraft: () => void;
  /** The draft was started on a different proposal than the one shown now. */
  stale: { before: Tree; mine: Change[] } | undefined;
  rebase: () => void;
  /** The proposal changed on screen: the changes, until the user acknowledges them. */
  moved: Change[] | undefined;
  acknowledge: () => void;
  /** The action of the main button, and whether it is enabled. */
  main: Act | undefined;
  ready: boolean;
  decideMain: () => void;
  asking: Asking | undefined;
  ask: (what: Asking | undefined) => void;
  send: (decision: Omit<Decision, "version">) => void;
  sending: boolean;
  /** A decision that was made but not sent yet, and can be undone. */
  held: Extract<Doing, { phase: "held" }> | undefined;
  undo: () => void;
  error: Error | null;
  /** Resends the same attempt under the same key. */
  again: (() => void) | undefined;
  /** The user's latest action here. */
  done: { act: Act; version: number } | undefined;
}

const none: Faults = new Map();
const nothing = literal(null);

/** Longer proposals are shown only as JSON, in full, without freezing the page. */
const largeMax = 200_000;
/** Longer proposals cannot be edited in a page. */
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
  const [chosenRole, setRole] = useState<string>();
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
  // A form being filled in stays open, even if the approval is settled in the meantime.
  const asked = useRef(false);
  asked.current ||= approval.acts.includes("submit");
  const late = !pending && done === undefined && (editing || (asked.current && draft?.edited !== undefined));
  const submits = approval.acts.includes("submit") || (late && asked.current);
  const empty = /^\s*(null|\{\s*\})?\s*$/.test(text);
  const given = submits ? approval.input_schema : (approval.action.args_schema ?? approval.input_schema);
  const planned = approval.reason === "loop" && !given && !empty;
  const schema = useMemo(() => (planned ? planSchema : schemaOf(given)), [planned, given]);
  const fixed =
    (empty && Object.keys(schema.properties ?? {}).length === 0) || Math.max(text.length, blob?.size ?? 0) > editMax;
  const can = (act: Act) => pending && approval.acts.includes(act) && !(act === "modify" && fixed);
  // Parsing megabytes takes time, so only for editing.
  const reads = !large || submits || editing;
  const base = useMemo(() => {
    if (!reads) return nothing;
    return submits ? prefilled(treeOf(text), schema) : treeOf(text);
  }, [reads, submits, text, schema]);

  // An update that leaves the proposal unchanged (a vote, a delegation) is applied at once; a changed proposal has to
  // be seen.
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
      // The bar shows why sending failed; a held decision has no response.
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
  // A new file appeared before the decision was sent: the answer was for the files on the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the files change
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
  const seats = pending ? approval.vote_as : undefined;
  const role = chosenRole !== undefined && seats?.includes(chosenRole) ? chosenRole : seats?.[0];
  const decision = (): Omit<Decision, "version"> => ({
    act: main ?? "approve",
    comment: draft?.note,
    ...(role ? { role } : {}),
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
    effect: edit.effect,
    option: draft?.option,
    choose: (option) => update({ option }),
    role,
    setRole,
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
  // A user who has already voted may still edit; then that is the only thing left to send.
  return editing && can("modify") && (changed || !answer) ? "modify" : answer;
}

/** The changes of a draft and their errors: from the schema at once, from the server a moment later. */
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
  const effect = asked && current ? (preview.data?.plan ?? undefined) : undefined;
  return { ...local, faults, effect, checking: asked !== undefined && (!current || preview.isFetching) };
}

/** Shown when the approval changed before the decision was sent. */
const notSent = {
  title: "Not sent",
  detail: "It changed in the meantime. Review it and decide again.",
  tone: "bad",
} as const;

/** The toast after a decision. */
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
