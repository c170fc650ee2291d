import type { QueryClient } from "@tanstack/react-query";
import { approvalQuery, pendingCountQuery } from "./api/approvals";
import { meQuery } from "./api/documents";
import { forgetEarly } from "./api/early";
import { policyQuery } from "./api/policy";
import { taskOfItsOwn } from "./lib/later";

/** How long the frame may stay empty; then the page is drawn with the data received so far. */
const waitMs = 1500;

/** How long an approval waits for the run and its files, which are requested early as well. */
const runMs = 300;

/**
 * Waits for the data of the first page and of the frame around it, so that both are drawn once, complete, and not first
 * without it. The server lets browsers request it early (web/first.go). Requests that fail here are repeated by the
 * page, which reports the error.
 */
export async function firstData(client: QueryClient, { pathname, search }: Location): Promise<void> {
  await atMost(waitMs, read(client, pathname, search));
  forgetEarly();
}

/** Waits for work, but not for long. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), enough]);
  clearTimeout(timer);
}

async function read(client: QueryClient, path: string, search: string): Promise<void> {
  const [, id] = /^\/approvals\/([^/]+)$/.exec(path) ?? [];
  if (id) await Promise.all([approval(client, decodeURIComponent(id)), frame(client)]);
  else if (path === "/inbox" || path === "/") await Promise.all([inbox(search), frame(client)]);
}

const inbox = async (search: string) => (await import("./inbox")).prepareInbox(search);

async function approval(client: QueryClient, id: string): Promise<void> {
  await client.prefetchQuery(approvalQuery(id));
  const { prepareApproval } = await import("./approval");
  await taskOfItsOwn();
  await atMost(runMs, prepareApproval(client, id));
}

/** The user and the number of pending approvals: almost everything around a page depends on them. */
async function frame(client: QueryClient): Promise<void> {
  await taskOfItsOwn();
  await Promise.all([user(client), client.prefetchQuery(pendingCountQuery)]);
}

/** The page is not drawn later for the policy, in which only the emergency stop matters here. */
async function user(client: QueryClient): Promise<void> {
  await client.prefetchQuery(meQuery);
  await taskOfItsOwn();
  if (client.getQueryData(meQuery.queryKey)?.permissions?.includes("view")) void client.prefetchQuery(policyQuery);
}
