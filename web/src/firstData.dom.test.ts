import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, it, vi } from "vitest";
import { keys } from "./api/queries";
import { firstData } from "./firstData";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const at = (pathname: string) => ({ pathname, search: "" }) as Location;
const answer = (body: object, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

it("an approval is there before its page is drawn", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(new URL(request.url).pathname);
    return answer({ id: "apr_1", title: "Pay" });
  });
  const client = new QueryClient();
  await firstData(client, at("/approvals/apr_1"));
  expect(client.getQueryData(keys.approval("apr_1"))).toMatchObject({ title: "Pay" });
  expect(asked).toEqual(["/api/v1/approvals/apr_1"]); // as web/first.go asks for it early
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
  window.assentEarly = { href: "http://localhost/api/v1/elsewhere", answer: Promise.resolve(answer({})) };
  await firstData(new QueryClient(), at("/runs"));
  expect(window.assentEarly).toBeUndefined();
});
