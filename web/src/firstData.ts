import type { QueryClient } from "@tanstack/react-query";
import { approvalQuery } from "./api/approvals";
import { forgetEarly } from "./api/early";

/** As long as the frame may stand alone; then the page is drawn with what there is. */
const waitMs = 1500;

/**
 * Waits for what the first page shows, so that it is drawn once, with it, and not first without. The server lets
 * browsers ask for it early (web/first.go). What fails here is asked for again, and told, by the page.
 */
export async function firstData(client: QueryClient, { pathname, search }: Location): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([read(client, pathname, search).catch(() => {}), enough]);
  clearTimeout(timer);
  forgetEarly();
}

async function read(client: QueryClient, path: string, search: string): Promise<void> {
  const [, approval] = /^\/approvals\/([^/]+)$/.exec(path) ?? [];
  if (approval) await client.prefetchQuery(approvalQuery(decodeURIComponent(approval)));
  else if (path === "/inbox" || path === "/") await (await import("./inbox")).prepareInbox(search);
}
