import { hashKey, type QueryKey } from "@tanstack/react-query";

/** Calls invalidate for each key at most once per interval: immediately the first time, and always after the last. */
export class Batch {
  private readonly last = new Map<string, number>();
  private readonly due = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly invalidate: (key: QueryKey) => void,
    private readonly intervalMs = 250,
    private readonly now: () => number = () => performance.now(),
  ) {}

  add(key: QueryKey): void {
    this.due.set(hashKey(key), key);
    if (this.timer === undefined) this.timer = setTimeout(() => this.flush(), 16);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due.clear();
  }

  private flush(): void {
    this.timer = undefined;
    const now = this.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [hash, key] of this.due) {
      const wait = (this.last.get(hash) ?? Number.NEGATIVE_INFINITY) + this.intervalMs - now;
      if (wait > 0) {
        next = Math.min(next, wait);
        continue;
      }
      this.due.delete(hash);
      this.last.set(hash, now);
      this.invalidate(key);
    }
    for (const [hash, at] of this.last) if (now - at > this.intervalMs * 4) this.last.delete(hash);
    if (this.due.size > 0) this.timer = setTimeout(() => this.flush(), next);
  }
}
