/** How many entries each request for a whole list asks for. */
const limit = 200;

interface ListPage {
  items: unknown[];
  total: number;
  next_cursor: string;
}

/** A whole list, page by page: for what people choose from, where a missing entry would look as if it did not exist. */
export async function everyPage<Page extends ListPage>(
  read: (page: { limit: number; cursor: string | undefined }) => Promise<Page>,
): Promise<Page> {
  const whole = await read({ limit, cursor: undefined });
  while (whole.next_cursor) {
    const next = await read({ limit, cursor: whole.next_cursor });
    whole.items.push(...next.items);
    whole.next_cursor = next.next_cursor;
  }
  return whole;
}
