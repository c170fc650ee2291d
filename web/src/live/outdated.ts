import type { Query, QueryClient, QueryFilters, QueryKey } from "@tanstack/react-query";

/**
 * Refetches outdated queries. A query on its first fetch is fetched once more afterwards: its response may be from
 * before the event, and the query cache would treat it as fresh.
 */
export class Outdated {
  private readonly again = new Set<Query>();
  private readonly unsubscribe: () => void;

  constructor(private readonly client: QueryClient) {
    this.unsubscribe = client.getQueryCache().subscribe((event) => {
      if (event.type === "removed") this.again.delete(event.query);
      if (event.type !== "updated" || event.query.state.fetchStatus !== "idle" || !this.again.delete(event.query))
        return;
      void client.invalidateQueries({ queryKey: event.query.queryKey, exact: true });
    });
  }

  add(filters: QueryFilters<QueryKey>): void {
    for (const query of this.client.getQueryCache().findAll(filters))
      if (query.state.data === undefined && query.state.fetchStatus !== "idle") this.again.add(query);
    void this.client.invalidateQueries(filters);
  }

  /** Notes what has been fetched, or is being fetched, before now; the returned function marks just that as outdated. */
  before(): () => void {
    const known = new Set(this.client.getQueryCache().getAll());
    return () => this.add({ predicate: (query) => known.has(query) });
  }

  stop(): void {
    this.unsubscribe();
    this.again.clear();
  }
}
