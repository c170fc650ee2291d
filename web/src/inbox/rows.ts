import { ApiError } from "../api/error";
import type { Approval, ApprovalList } from "../api/types";

export type ReadPage = (cursor: string, limit: number, signal: AbortSignal) => Promise<ApprovalList>;

interface Sizes {
  /** Rows of a page. */
  page: number;
  /** How many pages are kept; the others are read again when they are scrolled to. */
  pagesMax: number;
  /** How many rows one request may skip on the way to a far place. */
  hopMax: number;
}

const usual: Sizes = { page: 100, pagesMax: 20, hopMax: 1000 };
const againMs = 3000;

/**
 * A long list as it stood when it was opened: rows keep their places, so that
 * nothing moves under the cursor, while each row may change or go.
 *
 * The server pages by cursor only. The beginnings of pages that were seen are
 * remembered (a short text each), the rows of just a few pages; a far place is
 * reached by skipping from the nearest known beginning. It is a window on the
 * server's data rather than a copy of it, which is why it is not in the query
 * cache: that keeps pages whole, or reads all of them again.
 */
export class Rows {
  /** How many there were when it was opened. */
  total = 0;
  atLeast = false;
  error: Error | undefined;
  /** Some of its rows are alike: they are, or could be, grouped. */
  alike = false;
  /** Rises with every change, for React. */
  changes = 0;

  private readonly sizes: Sizes;
  private readonly starts = new Map<number, string>([[0, ""]]);
  private readonly pages = new Map<number, Approval[]>(); // the least lately wanted first
  private readonly slots = new Map<string, number>();
  private gone: number[] = []; // sorted
  private readonly folded = new Map<string, string>(); // the row that stands for an approval that has none
  private readonly unfolded = new Map<string, Approval>(); // the row that stood for an approval before
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

  /** Reads the first page; throws when that fails. */
  async open(): Promise<this> {
    await this.readPage(0);
    return this;
  }

  /** Whether anything was read. */
  get opened(): boolean {
    return this.pages.size > 0;
  }

  /** Whether all rows are in memory. */
  get whole(): boolean {
    return this.end !== undefined && this.slots.size >= this.end;
  }

  /** How many rows there are to show. While the end was not seen it is what the server counted. */
  get length(): number {
    return Math.max(0, this.slotCount() - this.gone.length);
  }

  /** Whether some approvals have no row of their own. */
  get folds(): boolean {
    return this.folded.size > 0;
  }

  /** How many rows are in memory. */
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

  /** Whether an approval is here, as a row or in one that stands for several. */
  knows(id: string): boolean {
    return this.slots.has(id) || this.folded.has(id);
  }

  /** The group that a row belongs to, if it is unfolded. */
  groupOf(id: string | undefined): Approval | undefined {
    return id === undefined ? undefined : this.unfolded.get(id);
  }

  /** Shows all that a row stands for, in its place. */
  unfold(group: Approval, members: Approval[]): void {
    for (const { id } of members) this.unfolded.set(id, group);
    this.swap([group.id], members);
  }

  /** Shows one row again for those of its group that still wait. */
  fold(group: Approval): void {
    const members = [...this.unfolded].flatMap(([id, of]) => (of === group ? [id] : []));
    const ids = members.filter((id) => this.indexOf(id) >= 0 && this.get(id)?.status === "pending");
    for (const id of members) this.unfolded.delete(id);
    const first = ids[0] === undefined ? undefined : this.get(ids[0]);
    if (first) this.swap(ids, [ids.length > 1 ? { ...first, alike: { count: ids.length, ids } } : first]);
  }

  /** Puts rows in the place of others. Lists with groups are here as a whole. */
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

  /** Where a row is shown; -1 if it is not, or not loaded. */
  indexOf(id: string): number {
    const slot = this.slots.get(id);
    if (slot === undefined) return -1;
    const before = this.goneBefore(slot);
    return this.gone[before] === slot ? -1 : slot - before;
  }

  /** All rows in memory that are shown, in order. */
  loaded(): Approval[] {
    const out: [number, Approval][] = [];
    for (const [id, slot] of this.slots) {
      const row = this.get(id);
      if (row && this.gone[this.goneBefore(slot)] !== slot) out.push([slot, row]);
    }
    return out.sort(([a], [b]) => a - b).map(([, row]) => row);
  }

  /** A newer form of a row, at the same place. */
  patch(approval: Approval): void {
    const slot = this.slots.get(this.folded.get(approval.id) ?? approval.id);
    if (slot === undefined) return;
    const page = this.pages.get(Math.floor(slot / this.sizes.page));
    const old = page?.[slot % this.sizes.page];
    if (!page || !old || old === approval) return;
    if (old.id !== approval.id) {
      // One of those that the row stands for: it leaves when it is settled.
      const ids = old.alike?.ids.filter((id) => id !== approval.id) ?? [];
      if (approval.status === "pending" || !this.folded.delete(approval.id)) return;
      page[slot % this.sizes.page] = { ...old, alike: ids.length > 1 ? { count: ids.length, ids } : undefined };
    } else if (approval.version < old.version) return;
    else page[slot % this.sizes.page] = asListed(approval, old);
    this.changed();
  }

  /** Takes a row out; those below move up. */
  remove(id: string): void {
    const slot = this.slots.get(id);
    if (slot === undefined) return;
    const at = this.goneBefore(slot);
    if (this.gone[at] === slot) return;
    this.gone.splice(at, 0, slot);
    this.changed();
  }

  /** Says which rows are looked at; what is missing there is read. */
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
    // Behind the last known beginning there is at least one more row. Where nobody counted to the end, the scrollbar
    // leaves room for as many as one request can skip; what is not there goes away when it is looked at.
    return Math.max(this.total, known + (this.opened ? 1 : 0), this.atLeast ? known + this.sizes.hopMax : 0);
  }

  /** How many of those taken out stand before a slot. */
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

  /** The slot of a shown row: the first that has so many shown ones before it, and is shown itself. */
  private slotAt(index: number): number {
    let low = 0;
    let high = this.gone.length;
    // gone[i] − i is how many shown rows stand before it; it never falls.
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

  /** The next page to read: one that is looked at, or the one that comes next when scrolling down. */
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

  /** Reads a page, or comes nearer to it by one request. */
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

  /** Remembers where a page begins. If it begins elsewhere than before, what came after it is out of date. */
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

/** A newer form of a row with what only lists say: how its title differs from others, and what it stands for. */
function asListed(approval: Approval, { title, alike }: Approval): Approval {
  const longer = title.startsWith(approval.title) && title !== approval.title;
  return longer || alike ? { ...approval, title: longer ? title : approval.title, alike } : approval;
}
