import { useEffect, useRef, useState } from "react";
import { approvalsAlike } from "../api/approvals";
import type { Approval, ApprovalFilter } from "../api/types";
import { useLiveEvents } from "../live";
import { toast } from "../ui/Toasts";
import { format } from "../words";
import type { Rows } from "./rows";
import { alike } from "./subject";

export interface Selection {
  /** As of when they were selected: a batch decides exactly these versions. */
  chosen: ReadonlyMap<string, Approval>;
  /** With all members of a group row. */
  toggle: (id: string) => void;
  /** Selects everything from the last selected row to this one. */
  range: (id: string) => void;
  /** Selects all members of a row and nothing else; undefined if they could not be loaded. */
  take: (row: Approval) => Promise<Approval[] | undefined>;
  clear: () => void;
  drop: (ids: string[]) => void;
  /** Those settled after they were selected, in their current state. They are no longer selected. */
  left: ReadonlyMap<string, Approval>;
  /** The number of loaded rows similar to the first selected one. */
  similar: number;
  /** Selects all of those, including ones not loaded yet. */
  takeSimilar: () => void;
  /** Whether they are being loaded. */
  taking: boolean;
  keepSimilar: () => void;
}

const none: ReadonlyMap<string, Approval> = new Map();

/** The selection. Settled approvals leave it, and onLeft is called. */
export function useSelection(
  rows: Rows | undefined,
  filter: ApprovalFilter,
  onLeft: (settled: Approval[]) => void,
): Selection {
  const [chosen, setChosen] = useState(none);
  const [taking, setTaking] = useState(false);
  const [left, setLeft] = useState(none);
  const anchor = useRef<string>(undefined);
  const [first] = chosen.values();
  const fitting = () => (first ? (rows?.loaded() ?? []).filter((a) => a.status === "pending" && alike(a, first)) : []);
  const byId = (list: Iterable<Approval>) => new Map([...list].map((a) => [a.id, a]));
  const all = [...chosen.values()];
  const reading = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    setTaking(true);
    try {
      return await read();
    } catch (error) {
      toast({ title: "Not selected", detail: error instanceof Error ? error.message : String(error), tone: "bad" });
      return undefined;
    } finally {
      setTaking(false);
    }
  };
  /** Loads the rows that are not in memory: the selection is complete, or reports that it is not. */
  const readSimilar = (like: Approval) =>
    reading(async () => {
      const { tool } = like.action;
      const place = tool ? { tool } : { workflow: like.workflow };
      const narrowed = { ...filter, ...place, risk: like.risk.level || undefined };
      const { batchMax } = await import("./batch");
      const { items, more } = await approvalsAlike(narrowed, (a) => alike(a, like), batchMax);
      setChosen(byId(items));
      if (more)
        toast({
          title: `The first ${format.count(items.length)} are selected`,
          detail: "No more can be decided together.",
        });
    });
  /** Selects rows with all their members. */
  const add = async (rows: Approval[], to: (now: ReadonlyMap<string, Approval>) => ReadonlyMap<string, Approval>) => {
    const read = rows.some((a) => a.alike)
      ? await reading(async () => {
          const { membersOf } = await import("./members");
          return Promise.all(rows.map((a) => membersOf(a, filter)));
        })
      : [rows];
    const items = read?.flat();
    if (items) setChosen((now) => new Map([...to(now), ...byId(items)]));
    return items;
  };
  const drop = (ids: string[]) =>
    setChosen((now) =>
      ids.some((id) => now.has(id)) ? byId([...now.values()].filter((a) => !ids.includes(a.id))) : now,
    );

  // A file that a run creates is decided with its approvals, including selected ones that are not in memory.
  useLiveEvents(({ type, run }) => {
    if (type !== "deliverable.created" || !all.some((a) => a.run === run)) return;
    setChosen((now) => byId([...now.values()].map((a) => (a.run === run ? { ...a, drafts: (a.drafts ?? 0) + 1 } : a))));
  });

  const changes = rows?.changes;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again whenever a row changes
  useEffect(() => {
    const settled = all.flatMap(({ id }) => rows?.get(id) ?? []).filter((row) => row.status !== "pending");
    if (settled.length === 0) return;
    drop(settled.map((row) => row.id));
    setLeft((now) => new Map([...now, ...byId(settled)]));
    onLeft(settled);
  }, [rows, changes, chosen]);

  return {
    chosen,
    toggle: (id) => {
      const row = rows?.get(id);
      anchor.current = id;
      if (chosen.has(id)) drop(row?.alike?.ids ?? [id]);
      else if (row?.status === "pending") void add([row], (now) => now);
    },
    range: (id) => {
      const to = rows?.indexOf(id) ?? -1;
      const from = anchor.current === undefined ? to : (rows?.indexOf(anchor.current) ?? to);
      if (!rows || to < 0) return;
      const [low, high] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
      const between: Approval[] = [];
      for (let i = low; i <= high; i++) {
        const row = rows.at(i);
        if (row?.status === "pending") between.push(row);
      }
      anchor.current = id;
      void add(between, (now) => now);
    },
    take: (row) => add([row], () => none),
    clear: () => {
      setChosen(none);
      setLeft(none);
    },
    drop,
    left,
    similar: fitting().length,
    takeSimilar: () => {
      if (first && rows && (rows.folds || rows.loaded().length < rows.length)) void readSimilar(first);
      else setChosen(byId(fitting()));
    },
    taking,
    keepSimilar: () => first && setChosen(byId(all.filter((a) => alike(a, first)))),
  };
}
