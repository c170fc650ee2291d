import { FilterX } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./Button";
import { EmptyState } from "./EmptyState";
import { ErrorNote } from "./ErrorNote";
import { SkeletonRows } from "./Skeleton";

/** A query that is read page by page. */
interface Pages<T> {
  isPending: boolean;
  error: Error | null;
  data?: { items: T[] };
  refetch: () => unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** The items of a list and a button for more, or why there are none. */
export function PagedList<T>(props: {
  list: Pages<T>;
  /** Shown if the list is empty without filters. */
  none: ReactNode;
  narrowed: boolean;
  /** What the filters hide, such as "messages". */
  others: string;
  onClear: () => void;
  children: (items: T[]) => ReactNode;
}) {
  const { list, none, narrowed, others, onClear, children } = props;
  const { data, error } = list;
  return (
    <>
      {list.isPending && <SkeletonRows />}
      {error && !data && (
        <ErrorNote
          error={error}
          action={
            <Button size="small" onClick={() => void list.refetch()}>
              Try again
            </Button>
          }
        />
      )}
      {data?.items.length === 0 && (narrowed ? <NoMatches others={others} onClear={onClear} /> : none)}
      {data && data.items.length > 0 && children(data.items)}
      {list.hasNextPage && (
        <Button className="mt-3" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

/** Shown if filters hide everything. */
export function NoMatches({ others, onClear }: { others: string; onClear: () => void }) {
  return (
    <EmptyState
      icon={FilterX}
      title="No matches for these filters"
      action={<Button onClick={onClear}>Clear filters</Button>}
    >
      There may be other {others}.
    </EmptyState>
  );
}
