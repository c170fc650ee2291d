import { ApiError } from "../api/error";
import type { Approval, ApprovalList } from "../api/types";

export type ReadPage = (cursor: string, limit: number, signal: AbortSignal) => Promise<ApprovalList>;

interface Sizes {
  /** Rows per page. */
  page: number;
  /** How many pages are kept; the others are fetched again when scrolled to. */
  pagesMax: number;
  /** How many rows one request may skip on the way to a distant row. */
  hopMax: number;
}

const usual: Sizes = { page: 100, pagesMax: 20, hopMax: 1000 };
const againMs = 3000;

/**
 * A long list as of when it was opened: rows keep their places, so that nothing moves under the cursor, while each row
 * may change or be removed.
 *
 * The server pages by cursor only. The cursors of visited pages are all kept (a short text each), but the rows of only
 * a few; a distant row is reached by skipping from the nearest known cursor. It is a window on the server's data rather
 * than a copy of it, which is why it is not in the query cache: that keeps whole pages, or refetches all of them.
 */
export class Rows {
  /** The number of rows when it was opened. */
  total = 0;
  atLeast = false;
  error: Error | undefined;
  /** Some of its rows are similar: they are, or could be, grouped. */
  alike = false;
  /** Increases with every change, for React. */
  changes = 0;

  private readonly sizes: Sizes;
  private readonly starts = new Map<number, string>([[0, ""]]);
  private readonly pages = new Map<number, Approval[]>(); // least recently used first
  private readonly slots = new Map<string, number>();
  private gone: number[] = []; // sorted
  private readonly folded = new Map<string, string>(); // the group row of an approval without a row of its own
  private readonly unfolded = new Map<string, Approval>(); // the former group row of an approval
  private end: number | undefined;
  private wanted: [first: number, last: number] = [0, 0];
  private working = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly stopped = new AbortController();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly read: ReadPage,
    sizes: Partial<Sizes> = {},
  ) {
    this.sizes = { ...usual, ...sizes };
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  stop(): void {
    this.stopped.abort();
    clearTimeout(this.timer);
  }

  /** Loads the first page; throws on failure. */
  async open(): Promise<this> {
    await this.readPage(0);
    return this;
  }

  /** Whether anything has been loaded. */
  get opened(): boolean {
    return this.pages.size > 0;
  }

  /** Whether all rows are in memory. */
  get whole(): boolean {
    return this.end !== undefined && this.slots.size >= this.end;
  }

  /** The number of rows to show: the server's count until the end was reached. */
  get length(): number {
    return Math.max(0, this.slotCount() - this.gone.length);
  }

  /** Whether some approvals have no row of their own. */
  get folds(): boolean {
    return this.folded.size > 0;
  }

  /** The number of rows in memory. */
  get kept(): number {
    return this.slots.size;
  }

  at(index: number): Approval | undefined {
    const slot = this.slotAt(index);
    return this.pages.get(Math.floor(slot / this.sizes.page))?.[slot % this.sizes.page];
  }

  get(id: string): Approval | undefined {
    const slot = this.slots.get(id);
    return slot === undefined
      ? undefined
      : this.pages.get(Math.floor(slot / this.sizes.page))?.[slot % this.sizes.page];
  }

  /** Whether an approval is in the list, as a row or in a group. */
  knows(id: string): boolean {
    return this.slots.has(id) || this.folded.has(id);
  }

  /** The group of a row, if it is unfolded. */
  groupOf(id: string | undefined): Approval | undefined {
    return id === undefined ? undefined : this.unfolded.get(id);
  }

  /** Shows all members of a group in its place. */
  unfold(group: Approval, members: Approval[]): void {
    for (const { id } of members) this.unfolded.set(id, group);
    this.swap([group.id], members);
  }

  /** Replaces the pending members of a group with one row again. */
  fold(group: Approval): void {
    const members = [...this.unfolded].flatMap(([id, of]) => (of === group ? [id] : []));
    const ids = members.filter((id) => this.indexOf(id) >= 0 && this.get(id)?.status === "pending");
    for (const id of members) this.unfolded.delete(id);
    const first = ids[0] === undefined ? undefined : this.get(ids[0]);
    if (first) this.swap(ids, [ids.length > 1 ? { ...first, alike: { count: ids.length, ids } } : first]);
  }

  /** Replaces rows with others. Lists with groups are always loaded in full. */
  private swap(ids: string[], put: Approval[]): void {
    const rows = this.pages.get(0) ?? [];
    const gone = new Set(this.gone.map((slot) => rows[slot]?.id));
    const at = rows.findIndex(({ id }) => id === ids[0]);
    const next = rows.flatMap((row, i) => (i === at ? put : ids.includes(row.id) ? [] : [row]));
    this.end = next.length;
    this.gone = [];
    this.keep(0, next);
    this.gone = next.flatMap(({ id }, i) => (gone.has(id) ? [i] : []));
    this.changed();
  }

  /** The index of a row; -1 if it is not shown or not loaded. */
  indexOf(id: string): number {
    const slot = this.slots.get(id);
    if (slot === undefined) return -1;
    const before = this.goneBefore(slot);
    return this.gone[before] === slot ? -1 : slot - before;
  }

  /** All loaded rows that are shown, in order. */
  loaded(): Approval[] {
    const out: [number, Approval][] = [];
    for (const [id, slot] of this.slots) {
      const row = this.get(id);
      if (row && this.gone[this.goneBefore(slot)] !== slot) out.push([slot, row]);
    }
    return out.sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  /** Updates a row in place. */
  patch(approval: Approval): void {
    const slot = this.slots.get(this.folded.get(approval.id) ?? approval.id);
    if (slot === undefined) return;
    const page = this.pages.get(Math.floor(slot / this.sizes.page));
    const old = page?.[slot % this.sizes.page];
    if (!page || !old || old === approval) return;
    if (old.id !== approval.id) {
      // A member of the group: it leaves when it is settled.
      const ids = old.alike?.ids.filter((id) => id !== approval.id) ?? [];
      if (approval.status === "pending" || !this.folded.delete(approval.id)) return;
      page[slot % this.sizes.page] = { ...old, alike: ids.length > 1 ? { count: ids.length, ids } : undefined };
    } else if (approval.version < old.version) return;
    else page[slot % this.sizes.page] = asListed(approval, old);
    this.changed();
  }

  /** Removes a row; those below move up. */
  remove(id: string): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    const at = this.goneBefore(slot);
    if (this.gone[at] === slot) return;
    this.gone.splice(at, 0, slot);
    this.changed();
  }

  /** Sets the visible rows; missing ones are fetched. */
  want(first: number, last: number): void {
    const bounded = Math.min(last, this.length - 1);
    this.wanted = [this.slotAt(Math.max(0, first)), this.slotAt(Math.max(0, bounded))];
    void this.work();
  }

  private changed(): void {
    this.changes++;
    for (const listener of this.listeners) listener();
  }

  private slotCount(): number {
    if (this.end !== undefined) return this.end;
    const known = Math.max(...this.starts.keys()) * this.sizes.page;
    // After the last known cursor there is at least one more row. If the server did not count to the end, the scrollbar
    // leaves space for as many as one request can skip; rows that turn out not to exist disappear when scrolled to.
    return Math.max(this.total, known + (this.opened ? 1 : 0), this.atLeast ? known + this.sizes.hopMax : 0);
  }

  /** How many removed rows precede a slot. */
  private goneBefore(slot: number): number {
    let low = 0;
    let high = this.gone.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.gone[middle] as number) < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The slot of a shown row: the first visible one with that many visible ones before it. */
  private slotAt(index: number): number {
    let low = 0;
    let high = this.gone.length;
    // gone[i] − i is the number of visible rows before it; it never decreases.
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.gone[middle] as number) - middle <= index) low = middle + 1;
      else high = middle;
    }
    return index + low;
  }

  private async work(): Promise<void> {
    if (this.working || this.stopped.signal.aborted) return;
    this.working = true;
    clearTimeout(this.timer);
    try {
      for (let page = this.missing(); page !== undefined; page = this.missing()) await this.readPage(page);
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      this.error = error instanceof Error ? error : new Error(String(error));
      if (!(error instanceof ApiError) || error.passing) this.timer = setTimeout(() => void this.work(), againMs);
      this.changed();
    } finally {
      this.working = false;
    }
  }

  /** The next page to fetch: a visible one, or the next one when scrolling down. */
  private missing(): number | undefined {
    const { page } = this.sizes;
    const last = this.slotCount() - 1;
    const [from, to] = this.wanted;
    const ahead = Math.min(to + page / 2, last);
    for (let p = Math.floor(from / page); p <= Math.floor(ahead / page); p++) {
      if (p * page <= last && !this.pages.has(p)) return p;
    }
    return undefined;
  }

  /** Fetches a page, or gets closer to it by one request. */
  private async readPage(page: number): Promise<void> {
    const near = Math.max(...[...this.starts.keys()].filter((p) => p <= page));
    const hop = Math.min(page - near, Math.floor(this.sizes.hopMax / this.sizes.page));
    const limit = Math.max(1, hop) * this.sizes.page;
    const list = await this.read(this.starts.get(near) ?? "", limit, this.stopped.signal);
    if (this.stopped.signal.aborted) return;
    this.error = undefined;
    if (near === 0) {
      this.total = list.total;
      this.atLeast = list.total_is_lower_bound ?? false;
    }
    const next = near + Math.max(1, hop);
    this.joint(next, list.next_cursor);
    if (list.next_cursor === "") this.end = near * this.sizes.page + list.items.length;
    if (hop === 0) this.keep(near, list.items);
    this.changed();
  }

  /** Remembers where a page begins. If that has changed, everything after it is out of date. */
  private joint(page: number, cursor: string): void {
    if (cursor !== "" && this.starts.get(page) === cursor) return;
    for (const p of [...this.starts.keys()]) if (p >= page) this.starts.delete(p);
    for (const p of [...this.pages.keys()]) if (p >= page) this.drop(p);
    this.gone = this.gone.filter((slot) => slot < page * this.sizes.page);
    this.end = undefined;
    if (cursor !== "") this.starts.set(page, cursor);
  }

  private keep(page: number, items: Approval[]): void {
    this.drop(page);
    const first = page * this.sizes.page;
    this.gone = this.gone.filter((slot) => slot < first || slot >= first + this.sizes.page);
    this.pages.set(page, items.slice(0, this.sizes.page));
    items.forEach((item, i) => {
      this.slots.set(item.id, first + i);
      for (const id of item.alike?.ids ?? []) if (id !== item.id) this.folded.set(id, item.id);
    });
    const [from, to] = this.wanted.map((slot) => Math.floor(slot / this.sizes.page)) as [number, number];
    for (const p of [...this.pages.keys()]) {
      if (this.pages.size <= this.sizes.pagesMax) break;
      if (p < from - 1 || p > to + 1) this.drop(p);
    }
  }

  private drop(page: number): void {
    for (const row of this.pages.get(page) ?? []) {
      for (const id of row.alike?.ids ?? []) this.folded.delete(id);
      const slot = this.slots.get(row.id);
      if (slot !== undefined && Math.floor(slot / this.sizes.page) === page) this.slots.delete(row.id);
    }
    this.pages.delete(page);
  }
}

/** A newer version of a row with the members that only lists have: its distinguishing title, and its group. */
function asListed(approval: Approval, { title, alike }: Approval): Approval {
  const longer = title.startsWith(approval.title) && title !== approval.title;
  return longer || alike ? { ...approval, title: longer ? title : approval.title, alike } : approval;
}
