import { type Ref, startTransition, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { Approval } from "../api/types";
import type { Doing } from "../lib/decisions";
import { Row, type RowActions, RowPlace } from "./Row";
import type { Rows } from "./rows";
import { useWindow } from "./useWindow";

/** Two lines of title and one below. */
export const rowHeight = 64;
export const cardHeight = 112;

export interface ListHandle {
  show: (index: number) => void;
  top: () => void;
  /** Call before removing rows at these indexes, so that the visible rows stay in place. */
  anchor: (indexes: number[]) => void;
}

interface Props {
  rows: Rows;
  handle: Ref<ListHandle>;
  card: boolean;
  cursor: number;
  /** The row shown beside the list while there is no cursor; -1 if none is. */
  shown: number;
  /** The cursor was moved by keyboard, so the focus follows it. */
  focus: boolean;
  selection: ReadonlyMap<string, Approval>;
  doing: (id: string) => Doing | undefined;
  on: RowActions;
  scrollTop: number;
  onScrolled: (top: number) => void;
  label: string;
}

/** The visible rows, and a few around them. */
export function List({ rows, handle, card, cursor, shown, focus, selection, doing, on, ...rest }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const height = card ? cardHeight : rowHeight;
  const count = rows.length;
  // Visible rows come first; those drawn around them for scrolling may come in pieces.
  const [around, setAround] = useState(0);
  useEffect(() => startTransition(() => setAround(6)), []);
  const seen = useWindow(scroller, { count, height, start: rest.scrollTop, around, keep: cursor });
  const { first, last } = seen;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the missing rows depend on all of these
  useEffect(() => rows.want(first, last), [rows, rows.changes, first, last]);

  useImperativeHandle(handle, () => ({
    show: seen.show,
    top: () => scroller.current?.scrollTo({ top: 0 }),
    anchor: (indexes) => {
      const box = scroller.current;
      if (!box) return;
      const above = indexes.filter((i) => (i + 1) * height <= box.scrollTop).length;
      if (above === 0) return; // the rows below slide up
      // Rows and scroll position move by the same amount: nothing moves on screen, so nothing may animate.
      box.dataset.still = "";
      box.scrollTop -= above * height;
      setTimeout(() => delete box.dataset.still, 100);
    },
  }));

  return (
    <div
      ref={scroller}
      data-inbox-scroller
      className="@container min-h-0 flex-1 overflow-y-auto overscroll-contain"
      onScroll={(e) => rest.onScrolled(e.currentTarget.scrollTop)}
    >
      {/* biome-ignore lint/a11y/noRedundantRoles: some screen readers drop the role of a list without bullets */}
      <ul role="list" aria-label={rest.label} className="relative" style={{ height: count * height }}>
        {seen.indexes.map((index) => {
          const start = index * height;
          const approval = rows.at(index);
          const group = rows.groupOf(approval?.id);
          return approval ? (
            <Row
              key={approval.id}
              approval={approval}
              index={index}
              count={count}
              cursor={index === cursor}
              shown={index === shown}
              focus={index === cursor && focus}
              selected={selection.has(approval.id)}
              selecting={cursor >= 0}
              doing={doing(approval.id)}
              member={group && (rows.groupOf(rows.at(index - 1)?.id) === group ? "next" : "first")}
              card={card}
              top={start}
              height={height}
              on={on}
            />
          ) : (
            <RowPlace key={`place ${index}`} top={start} height={height} index={index} count={count} />
          );
        })}
      </ul>
    </div>
  );
}
