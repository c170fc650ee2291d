import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { pendingCountQuery } from "./api/approvals";
import { keys } from "./api/queries";
import { firstData } from "./firstData";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const at = (pathname: string) => ({ pathname, search: "" }) as Location;
const answer = (body: object, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

/** What web/first.go asks for early, for the frame of every page. */
const frame = ["/api/v1/me", "/api/v1/approvals?status=pending&limit=1"];

/** Notes what is asked for, and answers by path. */
function answering(answers: Record<string, object>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    asked.push(pathname + search);
    return answer(answers[pathname] ?? {});
  });
  return asked;
}

it("an approval and the frame's data are there before its page is drawn", async () => {
  const asked = answering({
    "/api/v1/approvals/apr_1": { id: "apr_1", title: "Pay" },
    "/api/v1/me": { name: "ann" },
    "/api/v1/approvals": { items: [], total: 7, next_cursor: "" },
  });
  const client = new QueryClient();
  await firstData(client, at("/approvals/apr_1"));
  expect(client.getQueryData(keys.approval("apr_1"))).toMatchObject({ title: "Pay" });
  expect(client.getQueryData(keys.me)).toMatchObject({ name: "ann" });
  expect(client.getQueryData(pendingCountQuery.queryKey)).toMatchObject({ total: 7 });
  expect(asked).toEqual(["/api/v1/approvals/apr_1", ...frame]);
});

it("the list and the frame's data are there before the inbox is drawn", async () => {
  await import("./inbox"); // takes longer here than firstData waits
  const asked = answering({
    "/api/v1/me": { name: "ann" },
    "/api/v1/approvals": { items: [], total: 0, next_cursor: "" },
  });
  const client = new QueryClient();
  await firstData(client, at("/inbox"));
  expect(client.getQueryData(keys.me)).toMatchObject({ name: "ann" });
  expect(asked.sort()).toEqual(["/api/v1/approvals?sort=priority&status=pending&limit=100", ...frame].sort());
});

it.each([
  ["/approvals/apr_1", "the server does not know it"],
  ["/approvals/%E0%A4%A", "the address is broken"],
  ["/inbox", "the list cannot be read"],
])("nothing is thrown at %s when %s: the page tells", async (path) => {
  vi.stubGlobal("fetch", async () => answer({ code: "not_found", status: 404 }, 404));
  await firstData(new QueryClient(), at(path));
});

it("a page that needs nothing waits for nothing", async () => {
  const fetch = vi.fn();
  vi.stubGlobal("fetch", fetch);
  await firstData(new QueryClient(), at("/runs"));
  expect(fetch).not.toHaveBeenCalled();
});

it("a silent server does not hold up the page", async () => {
  vi.useFakeTimers();
  vi.stubGlobal("fetch", () => new Promise(() => {}));
  const waited = firstData(new QueryClient(), at("/approvals/apr_1"));
  await vi.advanceTimersByTimeAsync(1500);
  await waited;
});

it("what was asked for early and nobody took is not kept for later", async () => {
  window.assentEarly = [{ href: "http://localhost/api/v1/elsewhere", answer: Promise.resolve(answer({})) }];
  await firstData(new QueryClient(), at("/runs"));
  expect(window.assentEarly).toBeUndefined();
});
