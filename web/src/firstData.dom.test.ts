import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { pendingCountQuery } from "./api/approvals";
import { deliverablePagesQuery } from "./api/deliverables";
import { keys } from "./api/queries";
import { filesFilter } from "./decide/files";
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

/** However slow the machine is, firstData waits for the answers. */
function patient(): void {
  const real = globalThis.setTimeout;
  vi.stubGlobal("setTimeout", (run: () => void, ms = 0) => (ms < 300 ? real(run, ms) : 0));
}

const pay = { id: "apr_1", title: "Pay", kind: "approval", action: { type: "step" }, run: "run_1" };
const filesOfRun = "/api/v1/deliverables?run=run_1&status=draft&limit=100";

it("an approval, its run and the frame's data are there before its page is drawn", async () => {
  patient();
  const asked = answering({
    "/api/v1/approvals/apr_1": pay,
    "/api/v1/runs/run_1": { id: "run_1", steps: [] },
    "/api/v1/deliverables": { items: [], total: 0, next_cursor: "" },
    "/api/v1/me": { name: "ann" },
    "/api/v1/approvals": { items: [], total: 7, next_cursor: "" },
  });
  const client = new QueryClient();
  await firstData(client, at("/approvals/apr_1"));
  expect(client.getQueryData(keys.approval("apr_1"))).toMatchObject({ title: "Pay" });
  expect(client.getQueryData(keys.run("run_1"))).toMatchObject({ id: "run_1" });
  expect(client.getQueryData(deliverablePagesQuery(filesFilter("run_1")).queryKey)?.pages).toHaveLength(1);
  expect(client.getQueryData(keys.me)).toMatchObject({ name: "ann" });
  expect(client.getQueryData(pendingCountQuery.queryKey)).toMatchObject({ total: 7 });
  expect(asked.sort()).toEqual(["/api/v1/approvals/apr_1", "/api/v1/runs/run_1", filesOfRun, ...frame].sort());
});

it("files are not requested where none are decided on", async () => {
  patient();
  const asked = answering({ "/api/v1/approvals/apr_1": { ...pay, action: { type: "limit" } } });
  await firstData(new QueryClient(), at("/approvals/apr_1"));
  expect(asked).toContain("/api/v1/runs/run_1");
  expect(asked).not.toContain(filesOfRun);
});

it("an approval does not wait long for its run", async () => {
  await import("./approval");
  vi.useFakeTimers();
  vi.stubGlobal("fetch", (request: Request) =>
    request.url.includes("/runs/") ? new Promise(() => {}) : Promise.resolve(answer(pay)),
  );
  let over = false;
  void firstData(new QueryClient(), at("/approvals/apr_1")).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(over).toBe(true);
});

it.each([
  [["view"], true],
  [["approve"], false],
])("the policy is requested with the page where permissions are %s: %s", async (permissions, wanted) => {
  patient();
  const asked = answering({
    "/api/v1/me": { name: "ann", permissions },
    "/api/v1/approvals": { items: [], total: 0, next_cursor: "" },
  });
  await firstData(new QueryClient(), at("/inbox"));
  expect(asked.includes("/api/v1/policy")).toBe(wanted);
});

it("the list and the frame's data are there before the inbox is drawn", async () => {
  patient();
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
