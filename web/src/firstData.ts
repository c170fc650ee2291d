import type { QueryClient } from "@tanstack/react-query";
import { approvalQuery } from "./api/approvals";
import { forgetEarly } from "./api/early";

/** How long the frame may stay empty; then the page is drawn with the data received so far. */
const waitMs = 1500;

/**
 * Waits for the data of the first page, so that it is drawn once, complete, and not first without it. The server lets
 * browsers request it early (web/first.go). Requests that fail here are repeated by the page, which reports the error.
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
