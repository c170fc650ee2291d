/** How many entries a request for a whole list asks for. */
export const everyPageMax = 200;

interface ListPage<T> {
  items: T[];
  total: number;
  next_cursor: string;
}

/** A whole list, page by page: for what people choose from, where a missing entry would look as if it did not exist. */
export async function everyPage<T>(
  read: (cursor: string | undefined) => Promise<ListPage<T>>,
): Promise<{ items: T[]; total: number }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.items);
    cursor = page.next_cursor || undefined;
  } while (cursor);
  return { items, total: items.length };
}
