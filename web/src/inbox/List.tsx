import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef } from "react";
import type { Approval } from "../api/types";
import type { Doing } from "./decisions";
import { Row, type RowActions, RowPlace } from "./Row";
import type { Rows } from "./rows";

export const rowHeight = 56;
export const cardHeight = 112;

export interface ListHandle {
  show: (index: number) => void;
  top: () => void;
  /** Call before rows at these places are taken out, so that what is looked at stays where it is. */
  anchor: (indexes: number[]) => void;
}

interface Props {
  rows: Rows;
  handle: Ref<ListHandle>;
  card: boolean;
  cursor: number;
  /** The cursor came by keyboard, so the focus follows it. */
  focus: boolean;
  selection: ReadonlyMap<string, Approval>;
  doing: (id: string) => Doing | undefined;
  on: RowActions;
  scrollTop: number;
  onScrolled: (top: number) => void;
  label: string;
}

/** The rows that can be seen, and a few around them. */
export function List({ rows, handle, card, cursor, focus, selection, doing, on, ...rest }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const height = card ? cardHeight : rowHeight;
  const count = rows.length;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    // The same function as long as rows have the same height: with another one all 100,000 are measured anew.
    estimateSize: useCallback(() => height, [height]),
    overscan: 6,
    initialOffset: rest.scrollTop,
    // The row with the focus stays, however far away: else the focus would be lost.
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      return cursor < 0 || cursor >= range.count || seen.includes(cursor)
        ? seen
        : [...seen, cursor].sort((a, b) => a - b);
    },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height of rows is all that can change sizes
  useEffect(() => virtual.measure(), [height]);

  const items = virtual.getVirtualItems();
  const first = virtual.range?.startIndex ?? 0;
  const last = virtual.range?.endIndex ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is missing depends on all of these
  useEffect(() => rows.want(first, last), [rows, rows.changes, first, last]);

  useImperativeHandle(handle, () => ({
    show: (index) => virtual.scrollToIndex(index, { align: "auto" }),
    top: () => scroller.current?.scrollTo({ top: 0 }),
    anchor: (indexes) => {
      const box = scroller.current;
      if (!box) return;
      const above = indexes.filter((i) => (i + 1) * height <= box.scrollTop).length;
      if (above === 0) return; // the rows below slide up
      // Rows and scroll position move by the same: for the eye nothing moves, so nothing may slide.
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
      {/* biome-ignore lint/a11y/noRedundantRoles: some readers forget that a list without bullets is one */}
      <ul role="list" aria-label={rest.label} className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const approval = rows.at(index);
          return approval ? (
            <Row
              key={approval.id}
              approval={approval}
              index={index}
              count={count}
              cursor={index === cursor}
              focus={index === cursor && focus}
              selected={selection.has(approval.id)}
              selecting={cursor >= 0}
              doing={doing(approval.id)}
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
