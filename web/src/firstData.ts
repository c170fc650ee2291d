import type { QueryClient } from "@tanstack/react-query";
import { approvalQuery, pendingCountQuery } from "./api/approvals";
import { meQuery } from "./api/documents";
import { forgetEarly } from "./api/early";
import { taskOfItsOwn } from "./lib/later";

/** How long the frame may stay empty; then the page is drawn with the data received so far. */
const waitMs = 1500;

/**
 * Waits for the data of the first page and of the frame around it, so that both are drawn once, complete, and not first
 * without it. The server lets browsers request it early (web/first.go). Requests that fail here are repeated by the
 * page, which reports the error.
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
  if (approval) await Promise.all([client.prefetchQuery(approvalQuery(decodeURIComponent(approval))), frame(client)]);
  else if (path === "/inbox" || path === "/") await Promise.all([inbox(search), frame(client)]);
}

const inbox = async (search: string) => (await import("./inbox")).prepareInbox(search);

/** The user and the number of pending approvals: almost everything around a page depends on them. */
async function frame(client: QueryClient): Promise<void> {
  await taskOfItsOwn();
  await Promise.all([client.prefetchQuery(meQuery), client.prefetchQuery(pendingCountQuery)]);
}
