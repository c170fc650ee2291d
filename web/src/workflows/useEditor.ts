import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import {
  ApiError,
  type CopyContent,
  deleteWorkingCopy,
  findWorkingCopy,
  getWorkflowVersion,
  keys,
  putWorkingCopy,
  type WorkingCopy,
} from "../api";
import { everyVersion } from "../api/workflows";
import { plainText, pretty, type Tree, treeOf } from "../json";
import { NotEditable } from "../yaml/splice";
import { alike, type Content } from "./model/content";
import { type Flow, readFlow } from "./model/flow";
import { begin, type History, rebase, record, redo, undo } from "./model/history";
import { type Clash, merge, takeTheirs } from "./model/merge";

export interface Loaded {
  content: Content;
  /** The version that it started from; 0: none. */
  base: number;
  /** Of the working copy; 0: there is none yet. */
  revision: number;
  by: string;
}

export const contentOf = (copy: WorkingCopy): Content => ({
  yaml: copy.yaml,
  layout: copy.layout,
  samples: copy.samples.map((s) => ({ name: s.name, input: typed(treeOf(s.input)) })),
});

/** What is not JSON is stored as a string: an input is always an object. */
const typed = (tree: Tree): string => (tree.kind === "string" ? plainText(tree) : pretty(tree));

/** The working copy of a workflow, or the version that is published, or the newest one. */
export function useLoaded(name: string) {
  return useQuery({
    queryKey: [...keys.document("workflows", name), "editor"],
    queryFn: async (): Promise<Loaded> => {
      const copy = await findWorkingCopy(name);
      if (copy) return { content: contentOf(copy), base: copy.base, revision: copy.revision, by: copy.by };
      const versions = await everyVersion(name);
      const number = (versions.find((v) => v.published) ?? versions[0])?.version ?? 1;
      const version = await getWorkflowVersion(name, number);
      return { content: { yaml: version.yaml, layout: {}, samples: [] }, base: number, revision: 0, by: "" };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY, // from here on it is what is edited
  });
}

type Act =
  | { type: "edit"; change: Partial<Content>; label: string; field?: string }
  | { type: "undo" }
  | { type: "redo" }
  | { type: "rebase"; content: Content };

function reduce(history: History, act: Act): History {
  switch (act.type) {
    case "edit":
      return record(history, act.change, act.label, act.field);
    case "undo":
      return undo(history);
    case "redo":
      return redo(history);
    case "rebase":
      return rebase(history, act.content);
  }
}

export type SaveState = "saved" | "changed" | "saving" | "failed";

export interface Editor {
  name: string;
  content: Content;
  /** As the text says; while it is not YAML, as it last said. */
  flow: Flow;
  /** Why the text is not YAML; nothing but the text can be edited then. */
  error?: { message: string; line: number };
  editable: boolean;
  /** Changes the text by a function of it. */
  edit: (change: (yaml: string) => string, label: string, field?: string) => void;
  /** Changes more than the text by a function of everything. */
  change: (change: (content: Content) => Partial<Content>, label: string, field?: string) => void;
  set: (change: Partial<Content>, label: string, field?: string) => void;
  undo?: () => void;
  redo?: () => void;
  undoes: string;
  redoes: string;
  save: SaveState;
  failure: unknown;
  clashes: Clash[];
  settle: (clash: Clash, theirs: boolean) => void;
  /** Who changed it in the meantime. */
  mergedFrom?: string;
  base: number;
  setBase: (version: number) => void;
  /** Whether there is a working copy on the server. */
  drafted: boolean;
  /** Deletes the working copy; what was last typed is not sent. */
  discard: () => Promise<void>;
  /** Another window or person has discarded the working copy. Nothing is saved until this is answered. */
  gone: boolean;
  /** Saves what is here as a new working copy, or leaves it. */
  answerGone: (keep: boolean) => void;
  /** What was last said to screen readers. */
  said: string;
  say: (text: string) => void;
}

const none: Flow = { name: "", description: "", steps: [], gates: [], all: {} };
const pauseMs = 700;
/** A save that failed for a passing reason is tried again after this time, then after twice that, and so on. */
const againMs = 1000;
const againMaxMs = 30_000;

export function useEditor(name: string, loaded: Loaded, mayWrite: boolean): Editor {
  const [history, act] = useReducer(reduce, loaded.content, begin);
  const { content } = history;
  const [base, setBase] = useState(loaded.base);
  const [said, say] = useState("");
  const read = useMemo(() => readFlow(content.yaml), [content.yaml]);
  const last = useRef<Flow>(none);
  if (read.flow) last.current = read.flow;
  // Edits made before the next render build on it.
  const now = useRef(content);
  now.current = content;
  const saving = useSaving(name, loaded, content, base, mayWrite, now, (merged, by) => {
    now.current = merged;
    act({ type: "rebase", content: merged });
    if (by) say(`Merged with the changes of ${by}`);
  });

  const change = useCallback((by: (content: Content) => Partial<Content>, label: string, field?: string) => {
    try {
      const change = by(now.current);
      act({ type: "edit", change, label, field });
      if (field === undefined && change.yaml !== undefined && change.yaml !== now.current.yaml) say(label);
      now.current = { ...now.current, ...change };
    } catch (error) {
      if (!(error instanceof NotEditable)) throw error;
      say("This can only be changed in the YAML view");
    }
  }, []);
  const edit = useCallback(
    (by: (yaml: string) => string, label: string, field?: string) =>
      change(({ yaml }) => ({ yaml: by(yaml) }), label, field),
    [change],
  );
  const set = useCallback((change: Partial<Content>, label: string, field?: string) => {
    act({ type: "edit", change, label, field });
    now.current = { ...now.current, ...change };
    if (field === undefined) say(label);
  }, []);
  const before = history.past.at(-1)?.label;
  const after = history.future[0]?.label;
  return {
    name,
    content,
    flow: read.flow ?? last.current,
    error: read.error,
    editable: mayWrite && !read.error,
    edit,
    change,
    set,
    undo:
      before === undefined
        ? undefined
        : () => {
            act({ type: "undo" });
            const kept = alike(undo(history).content, content);
            say(kept ? `Not undone, because it has changed since: ${before}` : `Undone: ${before}`);
          },
    redo:
      after === undefined
        ? undefined
        : () => {
            act({ type: "redo" });
            say(`Redone: ${after}`);
          },
    undoes: before ?? "",
    redoes: after ?? "",
    base,
    setBase,
    said,
    say,
    ...saving,
    settle: (clash, theirs) => {
      saving.settled(clash);
      if (theirs) change((content) => takeTheirs(content, clash), `Use the other version of ${clash.where}`);
    },
  };
}

/** Saves while people type. If another person has saved in the meantime, both changes are merged. */
function useSaving(
  name: string,
  loaded: Loaded,
  content: Content,
  base: number,
  mayWrite: boolean,
  latest: { readonly current: Content },
  onMerged: (content: Content, by?: string) => void,
) {
  const [save, setSave] = useState<SaveState>("saved");
  const [failure, setFailure] = useState<unknown>();
  const [clashes, setClashes] = useState<Clash[]>([]);
  const [mergedFrom, setMergedFrom] = useState<string>();
  const [drafted, setDrafted] = useState(loaded.revision > 0);
  const [gone, setGone] = useState(false);
  /** Why nothing is sent: it is discarded here, or was elsewhere. */
  const held = useRef<"discarding" | "gone" | "left">(undefined);
  const sending = useRef<Promise<void>>(undefined);
  const stored = useRef({ content: loaded.content, base: loaded.base, revision: loaded.revision });
  const current = useRef({ content, base });
  current.current = { content, base };
  const merged = useRef(onMerged);
  merged.current = onMerged;
  const busy = useRef(false);
  const again = useRef<{ timer?: ReturnType<typeof setTimeout>; tries: number; left: boolean }>({
    tries: 0,
    left: false,
  });

  const lost = useCallback(() => {
    held.current = "gone";
    setGone(true);
    setDrafted(false);
    setSave("failed");
  }, []);

  /** Merges what another person has saved. */
  const catchUp = useCallback(
    (copy: WorkingCopy) => {
      const { content: mine, base: from } = current.current;
      const theirs = contentOf(copy);
      const { clashes, content } = merge(stored.current.content, latest.current, theirs);
      const both = alike(content, theirs) ? theirs : content; // theirs alone is saved already
      // The same as mine: it was saved before, and the answer got lost.
      const by = alike(theirs, mine) ? undefined : copy.by;
      if (by) setMergedFrom(by);
      stored.current = { content: theirs, base: copy.base, revision: copy.revision };
      current.current = { content: both, base: from };
      merged.current(both, by);
      setClashes((all) => [...all, ...clashes]);
    },
    [latest],
  );

  const sendNow = useCallback(async () => {
    busy.current = true;
    clearTimeout(again.current.timer);
    setSave("saving");
    const later = (ms: number) => {
      if (!again.current.left) again.current.timer = setTimeout(() => void sendRef.current(), ms);
    };
    try {
      for (let tries = 0; tries < 5; tries++) {
        const { content: mine, base: from } = current.current;
        try {
          const { revision } = await putWorkingCopy(name, toSend(mine, from), stored.current.revision);
          stored.current = { content: mine, base: from, revision };
          setDrafted(true);
          again.current.tries = 0;
          if (held.current) return;
          if (current.current.content === mine && current.current.base === from) {
            setSave("saved");
            setFailure(undefined);
            return;
          }
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "version_mismatch") throw error;
          const copy = await findWorkingCopy(name);
          if (!copy) return lost();
          catchUp(copy);
        }
      }
      setSave("changed"); // it changes faster than it can be saved
      later(pauseMs);
    } catch (error) {
      setFailure(error);
      setSave("failed");
      if (error instanceof ApiError && error.passing) {
        const ms = Math.min(againMs * 2 ** again.current.tries++, againMaxMs);
        later(Math.max(ms, 1000 * (error.retryAfterS ?? 0)));
      }
    } finally {
      busy.current = false;
    }
  }, [name, catchUp, lost]);
  const send = useCallback(async () => {
    if (busy.current || held.current) return;
    sending.current = sendNow();
    await sending.current;
  }, [sendNow]);
  const sendRef = useRef(send);
  sendRef.current = send;

  useEffect(() => {
    const same = stored.current.content === content && stored.current.base === base;
    if (same || !mayWrite) return;
    setSave((s) => (s === "saving" ? s : "changed"));
    const timer = setTimeout(() => void send(), pauseMs);
    return () => clearTimeout(timer);
  }, [content, base, mayWrite, send]);

  // What was typed last is sent when the page is left.
  useEffect(() => {
    const waiting = again.current;
    waiting.left = false;
    return () => {
      waiting.left = true;
      clearTimeout(waiting.timer);
      if (stored.current.content !== current.current.content) void send();
    };
  }, [send]);
  useEffect(() => {
    if (save === "saved" || !mayWrite) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [save, mayWrite]);
  const settled = (clash: Clash) => setClashes((all) => all.filter((c) => c !== clash));

  // The query is fetched again when a draft was discarded, and after the connection was lost.
  const client = useQueryClient();
  const { data: there } = useQuery({
    queryKey: [...keys.workingCopies, name],
    queryFn: async () => {
      const { revision } = stored.current;
      const copy = await findWorkingCopy(name);
      return { gone: revision > 0 && !copy && stored.current.revision === revision ? revision : 0 };
    },
    initialData: { gone: 0 },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  useEffect(() => {
    if (there.gone > 0 && there.gone === stored.current.revision && !held.current) lost();
  }, [there, lost]);

  const discard = async () => {
    held.current = "discarding";
    clearTimeout(again.current.timer);
    try {
      await sending.current;
      const { revision } = stored.current;
      if (revision > 0) await deleteWorkingCopy(name, revision);
      held.current = "left";
      client.removeQueries({ queryKey: [...keys.document("workflows", name), "editor"] });
    } catch (error) {
      held.current = undefined;
      if (error instanceof ApiError && error.code === "version_mismatch") {
        const copy = await findWorkingCopy(name);
        if (copy) catchUp(copy);
        else lost();
      }
      if (current.current.content !== stored.current.content) void send();
      throw error;
    }
  };
  const answerGone = (keep: boolean) => {
    if (!keep) {
      held.current = "left";
      return;
    }
    stored.current = { ...stored.current, revision: 0 };
    held.current = undefined;
    setGone(false);
    void send();
  };
  return { save, failure, clashes, settled, mergedFrom, drafted, discard, gone, answerGone };
}

export const toSend = (content: Content, base: number): CopyContent => ({
  yaml: content.yaml,
  base,
  layout: { ...content.layout },
  samples: content.samples.map((s) => ({ ...s })),
});
